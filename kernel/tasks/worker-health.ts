import { defineService } from '../core/service.ts'

export interface WorkerActivity {
  readonly active: number
  readonly lastPollAtMs: number
}

/** Whether the background work makes progress. */
export interface WorkerHealth {
  /** True while tasks run or the last poll was at most three poll intervals ago. */
  isHealthy(): boolean
  /** Running tasks, and the time of the last poll. */
  activity(): WorkerActivity
}

export const workerHealth = defineService<WorkerHealth>('kernel.worker-health')
