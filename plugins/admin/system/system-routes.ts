import { clock, defineRoutes, optional, serveEndpoint } from '#kernel'
import { systemState, workerHealth } from '#kernel/system'
import { cacheGauge } from '#plugins/storage'
import { chainClient } from '#plugins/wallet'
import { describeCache, describeSystem, describeWorkers } from './describe-system.ts'
import { cacheStats, systemInfo, systemPlugins, workers } from './system-api.ts'

export const systemRoutes = defineRoutes({
  name: 'system',
  uses: { clock, systemState, workerHealth, cacheGauge, chain: optional(chainClient) },
  endpoints: [systemInfo, systemPlugins, workers, cacheStats],
  register(app, { clock, systemState, workerHealth, cacheGauge, chain }) {
    serveEndpoint(app, systemInfo, async () => describeSystem({ state: systemState, nowMs: clock.now(), chain }))
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
