import { defineRoutes, serveEndpoint } from '#kernel'
import { cacheGauge, cacheStats, describeCache } from '../contract.ts'

export const cacheRoutes = defineRoutes({
  name: 'cache',
  uses: { cacheGauge },
  endpoints: [cacheStats],
  register(app, { cacheGauge }) {
    serveEndpoint(app, cacheStats, async () => describeCache(cacheGauge.stats()))
  },
})
