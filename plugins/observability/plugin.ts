import {
  adminRoutes,
  clock,
  dashboardUis,
  dbSchemas,
  definePlugin,
  log,
  metricCollectors,
  provide,
  taskKinds,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { contributions } from '#kernel/system'
import { overviewParts, versionHealthParts } from '#plugins/admin'

/** Metrics, and the health of providers and data sets. The plugins that it shows may be disabled: their services are optional here. */
export const observabilityPlugin = definePlugin({
  id: 'observability',
  provides: async () => {
    const { metricsPage } = await import('./metrics/metrics-routes.ts')
    const { dataSetServices } = await import('./data-sets/data-set-services.ts')
    return [
      ...dataSetServices,
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
    adminRoutes.load(
      async () => (await import('./metrics/metrics-routes.ts')).metricsRoutes,
      async () => (await import('./data-sets/data-set-routes.ts')).dataSetRoutes,
    ),
    taskKinds.load(async () => (await import('./data-sets/observe-task.ts')).observeDataSetsTask),
    taskSchedules.load(async () => (await import('./data-sets/observe-task.ts')).observeDataSetsSchedule),
    taskRecoveries.load(async () => (await import('./data-sets/observe-task.ts')).observeDataSetsRecovery),
    versionHealthParts.load(async () => (await import('./data-sets/data-set-views.ts')).dataSetHealthPart),
    overviewParts.load(async () => (await import('./data-sets/data-set-views.ts')).dataSetOverviewPart),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    metricCollectors.load(
      async () => (await import('./metrics/build-metric.ts')).buildMetric,
      async () => (await import('./metrics/database-metrics.ts')).databaseMetrics,
      async () => (await import('./data-sets/data-set-views.ts')).dataSetHealthMetric,
    ),
  ],
})
