import {
  adminRoutes,
  cliCommands,
  clock,
  dashboardUis,
  database,
  dbSchemas,
  definePlugin,
  eventKinds,
  log,
  metricCollectors,
  optional,
  provide,
  taskKinds,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { contributions, memoryParts } from '#kernel/system'
import { overviewParts, versionHealthParts } from '#plugins/admin'
import { observabilityCommands } from './commands/commands.ts'

/** Metrics, and the health of providers and data sets. The plugins that it shows may be disabled: their services are optional here. */
export const observabilityPlugin = definePlugin({
  id: 'observability',
  provides: async () => {
    const { metricsPage } = await import('./metrics/metrics-routes.ts')
    const { dataSetServices } = await import('./data-sets/data-set-services.ts')
    const { collections, createCollections } = await import('./metrics/collections.ts')
    const { createRecorder, recorder } = await import('./series/recorder.ts')
    const { observabilitySection, providers } = await import('#plugins/providers')
    const { missedProofs } = await import('./health/missed-proofs.ts')
    const { createProviderHealth, providerHealth } = await import('./providers/provider-health.ts')
    const { createSampleCounter, sampleCounter } = await import('./samples/sample-metrics.ts')
    return [
      ...dataSetServices,
      provide(sampleCounter, {}, createSampleCounter),
      provide(
        providerHealth,
        { providers: optional(providers), missedProofs: optional(missedProofs), settings: optional(observabilitySection.settings), clock },
        createProviderHealth,
      ),
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
      async () => (await import('./data-sets/data-set-routes.ts')).dataSetRoutes,
      async () => (await import('./proof/proof-routes.ts')).proofRoutes,
      async () => (await import('./samples/sample-routes.ts')).sampleRoutes,
      async () => (await import('./series/series-routes.ts')).seriesRoutes,
      async () => (await import('./providers/provider-routes.ts')).providerRoutes,
      async () => (await import('./speed-tests/speed-test-routes.ts')).speedTestRoutes,
    ),
    taskKinds.load(
      async () => (await import('./data-sets/observe-task.ts')).observeDataSetsTask,
      async () => (await import('./samples/sample-tasks.ts')).sampleCopiesTask,
      async () => (await import('./samples/sample-tasks.ts')).verifyShareTask,
      async () => (await import('./speed-tests/run-speed-test-task.ts')).speedTestTask,
    ),
    taskSchedules.load(
      async () => (await import('./data-sets/observe-task.ts')).observeDataSetsSchedule,
      async () => (await import('./samples/sample-tasks.ts')).sampleCopiesSchedule,
    ),
    taskRecoveries.load(
      async () => (await import('./data-sets/observe-task.ts')).observeDataSetsRecovery,
      async () => (await import('./samples/sample-tasks.ts')).sampleCopiesRecovery,
      async () => (await import('./series/recorder.ts')).startRecorder,
    ),
    memoryParts.load(async () => (await import('./series/recorder.ts')).seriesMemory),
    cliCommands.with(...observabilityCommands),
    eventKinds.load(async () => (await import('./speed-tests/run-speed-test-task.ts')).speedTestUpdated),
    versionHealthParts.load(async () => (await import('./data-sets/data-set-views.ts')).dataSetHealthPart),
    overviewParts.load(
      async () => (await import('./providers/provider-overview-part.ts')).providerOverviewPart,
      async () => (await import('./data-sets/data-set-views.ts')).dataSetOverviewPart,
      async () => (await import('./series/traffic-part.ts')).trafficPart,
    ),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    metricCollectors.load(
      async () => (await import('./metrics/build-metric.ts')).buildMetric,
      async () => (await import('./metrics/database-metrics.ts')).databaseMetrics,
      async () => (await import('./data-sets/data-set-views.ts')).dataSetHealthMetric,
      async () => (await import('./samples/sample-metrics.ts')).remoteSamplesMetric,
      async () => (await import('./providers/provider-metrics.ts')).providerMetrics,
    ),
  ],
})
