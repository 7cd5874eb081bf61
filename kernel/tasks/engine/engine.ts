import type { ContributedItem } from '../../core/contributions.ts'
import type { TaskQueue } from '../queue.ts'
import type { TaskRuns } from '../run-counts.ts'
import type { DueTimes, TaskKind, TaskLane, TaskRecovery, TaskSchedule } from '../task.ts'
import type { TaskChanges } from '../task-changes.ts'
import type { TaskControl } from '../task-control.ts'
import type { WorkerHealth } from '../worker-health.ts'

export interface EngineWork {
  readonly kinds: readonly ContributedItem<TaskKind>[]
  readonly lanes: readonly ContributedItem<TaskLane>[]
  readonly schedules: readonly TaskSchedule[]
  readonly recoveries: readonly ContributedItem<TaskRecovery>[]
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
