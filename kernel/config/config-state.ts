import { defineService } from '../service.ts'
import type { LoadedConfig } from './load.ts'
import type { Section } from './section.ts'
import type { FileValue } from './setting.ts'

/** The configuration as the running process loaded it, with the sections that explain it. */
export interface ConfigState {
  readonly loaded: LoadedConfig
  readonly sections: readonly Section[]
  /**
   * The configuration as a start now would load it, with these changes (dotted path → value) as if they stood in the file. Throws where
   * the file cannot be read.
   */
  reload(changes?: Readonly<Record<string, FileValue>>): LoadedConfig
  /** What the file alone, without environment and flags, says with these changes (dotted path → value). */
  preview(changes: Readonly<Record<string, FileValue>>): LoadedConfig
}

export const configState = defineService<ConfigState>('kernel.config')
