import { clock, defineRoutes, optional, serveEndpoint } from '#kernel'
import { systemState } from '#kernel/system'
import { cacheGauge } from '#plugins/storage'
import { chainClient } from '#plugins/wallet'
import { cacheStats, describeCache } from './cache-api.ts'
import { describeSystem } from './describe-system.ts'
import { systemInfo, systemPlugins } from './system-api.ts'

export const systemRoutes = defineRoutes({
  name: 'system',
  uses: { clock, systemState, cacheGauge, chain: optional(chainClient) },
  endpoints: [systemInfo, systemPlugins, cacheStats],
  register(app, { clock, systemState, cacheGauge, chain }) {
    serveEndpoint(app, systemInfo, async () => describeSystem({ state: systemState, nowMs: clock.now(), chain }))
    serveEndpoint(app, cacheStats, async () => describeCache(cacheGauge.stats()))
    serveEndpoint(app, systemPlugins, async () =>
      systemState.plugins.map(({ id, enabled, requires, accompanies, services, startMs }) => ({
        id,
        enabled,
        requires: [...requires],
        accompanies: [...accompanies],
        services: [...services],
        start_ms: startMs,
      })),
    )
  },
})
