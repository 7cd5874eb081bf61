import { defineService } from '../service.ts'

/** Whether the background work makes progress. */
export interface WorkerHealth {
  /** True while it has work in progress or looked for work within three poll intervals. */
  isHealthy(): boolean
}

export const workerHealth = defineService<WorkerHealth>('kernel.worker-health')
