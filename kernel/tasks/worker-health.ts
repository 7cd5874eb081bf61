import { defineService } from '../service.ts'

export interface WorkerActivity {
  readonly active: number
  readonly lookedAtMs: number
}

/** Whether the background work makes progress. */
export interface WorkerHealth {
  /** True while it has work in progress or looked for work within three poll intervals. */
  isHealthy(): boolean
  /** Tasks that run now, and when it last looked for due ones. */
  activity(): WorkerActivity
}

export const workerHealth = defineService<WorkerHealth>('kernel.worker-health')
