import { defineService } from '../core/service.ts'
import type { LoadedConfig } from './load.ts'
import type { Section } from './section.ts'
import type { FileValue } from './setting.ts'

/** The configuration that the running process loaded, with its sections. */
export interface ConfigState {
  readonly loaded: LoadedConfig
  readonly sections: readonly Section[]
  /**
   * The configuration that a restart would load, with these changes (dotted path → value) applied to the file. Throws when the file
   * cannot be read.
   */
  reload(changes?: Readonly<Record<string, FileValue>>): LoadedConfig
  /** The configuration of the file alone, without environment and flags, with these changes (dotted path → value). */
  preview(changes: Readonly<Record<string, FileValue>>): LoadedConfig
}

export const configState = defineService<ConfigState>('kernel.config')
