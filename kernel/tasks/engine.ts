import type { TaskQueue } from './queue.ts'
import type { TaskRuns } from './run-counts.ts'
import type { DueTimes, TaskKind, TaskLane, TaskRecovery, TaskSchedule } from './task.ts'
import type { TaskChanges } from './task-changes.ts'
import type { TaskControl } from './task-control.ts'
import type { WorkerHealth } from './worker-health.ts'

/** A contribution with the services that its `uses` names. */
export interface Bound<K> {
  readonly item: K
  readonly services: unknown
  readonly pluginId: string
}

export interface EngineWork {
  readonly kinds: readonly Bound<TaskKind>[]
  readonly lanes: readonly Bound<TaskLane>[]
  readonly schedules: readonly TaskSchedule[]
  readonly recoveries: readonly Bound<TaskRecovery>[]
  readonly dueTimes: readonly DueTimes[]
}

/** Claims due tasks under leases, runs them, and records how they ended. Nothing else writes task rows. */
export interface TaskEngine extends WorkerHealth {
  readonly queue: TaskQueue
  readonly control: TaskControl
  readonly changes: TaskChanges
  readonly runs: TaskRuns
  /** Runs the recoveries, then starts to claim tasks and to follow the schedules. */
  start(work: EngineWork): Promise<void>
  /** Stops claiming, aborts the signals of running tasks, waits for them within the limit, and hands unfinished tasks back without counting an attempt. */
  stop(): Promise<void>
}
