import { clock, defineRoutes, serveEndpoint, systemState, workerHealth } from '#kernel'
import { cacheGauge } from '#plugins/storage'
import { describeCache, describeSystem, describeWorkers } from './describe-system.ts'
import { cacheStats, systemInfo, systemPlugins, workers } from './system-api.ts'

export const systemRoutes = defineRoutes({
  name: 'system',
  uses: { clock, systemState, workerHealth, cacheGauge },
  endpoints: [systemInfo, systemPlugins, workers, cacheStats],
  register(app, { clock, systemState, workerHealth, cacheGauge }) {
    serveEndpoint(app, systemInfo, async () => describeSystem(systemState, clock.now()))
    serveEndpoint(app, systemPlugins, async () =>
      systemState.plugins.map(({ id, enabled, requires, services, startMs }) => ({
        id,
        enabled,
        requires: [...requires],
        services: [...services],
        start_ms: startMs,
      })),
    )
    serveEndpoint(app, workers, async () => describeWorkers(workerHealth))
    serveEndpoint(app, cacheStats, async () => describeCache(cacheGauge.stats()))
  },
})
