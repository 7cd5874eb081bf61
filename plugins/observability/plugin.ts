import { adminRoutes, clock, contributions, definePlugin, log, metricCollectors, provide } from '#kernel'
import { buildMetric } from './metrics/build-metric.ts'
import { metricsPage, metricsRoutes } from './metrics/metrics-routes.ts'
import { taskMetrics } from './metrics/task-metrics.ts'

/** Metrics for monitoring systems. */
export const observabilityPlugin = definePlugin({
  id: 'observability',
  requires: ['storage'],
  provides: [
    provide(metricsPage, { contributions, clock, log }, async ({ contributions, ...deps }) => {
      const { createMetricsPage } = await import('./metrics/metrics-page.ts')
      return createMetricsPage({ ...deps, collectors: () => contributions.to(metricCollectors) })
    }),
  ],
  contributes: [adminRoutes.with(metricsRoutes), metricCollectors.with(buildMetric, ...taskMetrics)],
})
