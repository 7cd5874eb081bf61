import { defineService } from '../service.ts'
import type { LoadedConfig } from './load.ts'
import type { Section } from './section.ts'

/** The configuration as the running process loaded it, with the sections that explain it. */
export interface ConfigState {
  readonly loaded: LoadedConfig
  readonly sections: readonly Section[]
}

export const configState = defineService<ConfigState>('kernel.config')
