import { adminRoutes, clock, contributions, definePlugin, log, metricCollectors, provide } from '#kernel'
import { metricsPage, metricsRoutes } from './metrics/metrics-routes.ts'
import { buildMetric, taskQueueMetric } from './metrics/service-metrics.ts'

/** How the service does, for machines that watch it. */
export const observabilityPlugin = definePlugin({
  id: 'observability',
  requires: ['storage'],
  provides: [
    provide(metricsPage, { contributions, clock, log }, async ({ contributions, ...doors }) => {
      const { createMetricsPage } = await import('./metrics/metrics-page.ts')
      return createMetricsPage({ ...doors, collectors: () => contributions.to(metricCollectors) })
    }),
  ],
  contributes: [adminRoutes.with(metricsRoutes), metricCollectors.with(buildMetric, taskQueueMetric)],
})
