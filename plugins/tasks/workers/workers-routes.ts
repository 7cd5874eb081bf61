import { defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { type WorkerHealth, workerHealth } from '#kernel/system'
import { type Workers, workers } from './workers-api.ts'

export const workersRoutes = defineRoutes({
  name: 'workers',
  uses: { workerHealth },
  endpoints: [workers],
  register(app, { workerHealth }) {
    serveEndpoint(app, workers, async () => describeWorkers(workerHealth))
  },
})

/** All background work runs in one engine. */
function describeWorkers(tasks: WorkerHealth): Workers {
  const healthy = tasks.isHealthy()
  const { active, lastPollAtMs } = tasks.activity()
  return { workers: { tasks: healthy }, details: { tasks: { healthy, last_tick_at: formatTime(lastPollAtMs), active } } }
}
