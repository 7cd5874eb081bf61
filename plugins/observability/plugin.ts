import { adminRoutes, clock, contributions, definePlugin, log, metricCollectors, provide } from '#kernel'

/** How the service does, for machines that watch it. */
export const observabilityPlugin = definePlugin({
  id: 'observability',
  requires: ['storage'],
  provides: async () => {
    const { metricsPage } = await import('./metrics/metrics-routes.ts')
    return [
      provide(metricsPage, { contributions, clock, log }, ({ contributions, ...doors }) => {
        const create = async () => {
          const { createMetricsPage } = await import('./metrics/metrics-page.ts')
          return createMetricsPage({ ...doors, collectors: () => contributions.to(metricCollectors) })
        }
        let page: ReturnType<typeof create> | undefined
        return () => {
          page ??= create()
          return page
        }
      }),
    ]
  },
  contributes: [
    adminRoutes.load(async () => (await import('./metrics/metrics-routes.ts')).metricsRoutes),
    metricCollectors.load(async () => {
      const { buildMetric, taskQueueMetric } = await import('./metrics/service-metrics.ts')
      return [buildMetric, taskQueueMetric]
    }),
  ],
})
