import type { TaskLedger } from './ledger.ts'
import type { TaskQueue } from './queue.ts'
import type { TaskRuns } from './run-counts.ts'
import type { DueTimes, TaskKind, TaskRecovery, TaskSchedule } from './task.ts'
import type { WorkerHealth } from './worker-health.ts'

/** A task kind or recovery with the services it asked for. */
export interface Bound<K> {
  readonly item: K
  readonly services: unknown
  readonly pluginId: string
}

export interface EngineWork {
  readonly kinds: readonly Bound<TaskKind>[]
  readonly schedules: readonly TaskSchedule[]
  readonly recoveries: readonly Bound<TaskRecovery>[]
  readonly dueTimes: readonly DueTimes[]
}

/** Claims due tasks under leases, runs them, and writes what they came to. Only it writes task rows. */
export interface TaskEngine extends WorkerHealth {
  readonly queue: TaskQueue
  readonly ledger: TaskLedger
  readonly runs: TaskRuns
  /** Recoveries first, then claims begin. Schedules tick from now on. */
  start(work: EngineWork): Promise<void>
  /** Stops claiming, aborts the signals of running tasks, waits for them within the limit, and hands their rows back unharmed. */
  stop(): Promise<void>
}
