import { adminRoutes, clock, dashboardUis, dbSchemas, definePlugin, log, metricCollectors, provide } from '#kernel'
import { contributions } from '#kernel/system'

/** Metrics, and the health of providers and data sets. The plugins that it shows may be disabled: their services are optional here. */
export const observabilityPlugin = definePlugin({
  id: 'observability',
  provides: async () => {
    const { metricsPage } = await import('./metrics/metrics-routes.ts')
    return [
      provide(metricsPage, { contributions, clock, log }, ({ contributions, ...deps }) => {
        const create = async () => {
          const { createMetricsPage } = await import('./metrics/metrics-page.ts')
          return createMetricsPage({ ...deps, collectors: () => contributions.to(metricCollectors) })
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
    dbSchemas.with({
      name: 'observability',
      load: async () => ({ migrations: (await import('./migrations/all-migrations.ts')).observabilityMigrations }),
      entities: async () => (await import('./entities.ts')).observabilityEntities,
    }),
    adminRoutes.load(async () => (await import('./metrics/metrics-routes.ts')).metricsRoutes),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    metricCollectors.load(
      async () => (await import('./metrics/build-metric.ts')).buildMetric,
      async () => (await import('./metrics/database-metrics.ts')).databaseMetrics,
    ),
  ],
})
