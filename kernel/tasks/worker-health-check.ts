import { defineHealthCheck } from '../health/health.ts'
import { workerHealth } from './worker-health.ts'

export const workerHealthCheck = defineHealthCheck({
  name: 'worker/tasks',
  uses: { workerHealth },
  check: async ({ workerHealth }) => (workerHealth.isHealthy() ? undefined : 'worker/tasks: not responding'),
})
