import type { Mode } from './mode.ts'
import { defineService } from './service.ts'

/** Result of the start for each plugin; `svc plugins` and the dashboard show it. */
interface PluginState {
  readonly id: string
  /** Whether it runs: not disabled, and not resting. */
  readonly enabled: boolean
  readonly requires: readonly string[]
  readonly accompanies: readonly string[]
  /** Ids of the services it provides. */
  readonly services: readonly string[]
  /** Time in ms to create its services. */
  readonly startMs: number
}

export interface SystemState {
  readonly mode: Mode
  readonly version: string
  readonly commit: string
  readonly buildDate: string
  readonly startedAtMs: number
  readonly plugins: readonly PluginState[]
}

export const systemState = defineService<SystemState>('kernel.system-state')
