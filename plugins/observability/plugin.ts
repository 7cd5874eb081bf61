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
} from '#kernel'
import { contributions, memoryParts } from '#kernel/system'
import { overviewParts } from '#plugins/admin'
import { observabilityCommands } from './commands/commands.ts'

/** Metrics, and the health of providers and data sets. The plugins that it shows may be disabled: their services are optional here. */
export const observabilityPlugin = definePlugin({
  id: 'observability',
  provides: async () => {
    const { metricsPage } = await import('./metrics/metrics-routes.ts')
    const { collections, createCollections } = await import('./metrics/collections.ts')
    const { createRecorder, recorder } = await import('./series/recorder.ts')
    const { observabilitySection, providers } = await import('#plugins/providers')
    const { missedProofs } = await import('./health/missed-proofs.ts')
    const { createProviderHealth, providerHealth } = await import('./providers/provider-health.ts')
    return [
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
      async () => (await import('./series/series-routes.ts')).seriesRoutes,
      async () => (await import('./providers/provider-routes.ts')).providerRoutes,
      async () => (await import('./speed-tests/speed-test-routes.ts')).speedTestRoutes,
    ),
    taskRecoveries.load(async () => (await import('./series/recorder.ts')).startRecorder),
    memoryParts.load(async () => (await import('./series/recorder.ts')).seriesMemory),
    cliCommands.with(...observabilityCommands),
    taskKinds.load(async () => (await import('./speed-tests/run-speed-test-task.ts')).speedTestTask),
    eventKinds.load(async () => (await import('./speed-tests/run-speed-test-task.ts')).speedTestUpdated),
    overviewParts.load(async () => (await import('./providers/provider-overview-part.ts')).providerOverviewPart),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    metricCollectors.load(
      async () => (await import('./metrics/build-metric.ts')).buildMetric,
      async () => (await import('./metrics/database-metrics.ts')).databaseMetrics,
      async () => (await import('./providers/provider-metrics.ts')).providerMetrics,
    ),
  ],
})
