import {
  adminRoutes,
  clock,
  dashboardUis,
  database,
  dbSchemas,
  definePlugin,
  log,
  metricCollectors,
  provide,
  taskRecoveries,
} from '#kernel'
import { contributions, memoryParts } from '#kernel/system'

/** Metrics, and the health of providers and data sets. The plugins that it shows may be disabled: their services are optional here. */
export const observabilityPlugin = definePlugin({
  id: 'observability',
  provides: async () => {
    const { metricsPage } = await import('./metrics/metrics-routes.ts')
    const { collections, createCollections } = await import('./metrics/collections.ts')
    const { createRecorder, recorder } = await import('./series/recorder.ts')
    return [
      provide(collections, { clock }, ({ clock }) => createCollections(clock)),
      provide(recorder, { contributions, collections, database, clock, log }, ({ contributions, ...deps }) =>
        createRecorder({ ...deps, families: () => contributions.to(metricCollectors) }),
      ),
      provide(metricsPage, { contributions, collections, log }, ({ contributions, ...deps }) => {
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
    adminRoutes.load(
      async () => (await import('./metrics/metrics-routes.ts')).metricsRoutes,
      async () => (await import('./series/series-routes.ts')).seriesRoutes,
    ),
    taskRecoveries.load(async () => (await import('./series/recorder.ts')).startRecorder),
    memoryParts.load(async () => (await import('./series/recorder.ts')).seriesMemory),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    metricCollectors.load(
      async () => (await import('./metrics/build-metric.ts')).buildMetric,
      async () => (await import('./metrics/database-metrics.ts')).databaseMetrics,
    ),
  ],
})
