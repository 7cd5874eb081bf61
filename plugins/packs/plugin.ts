import {
  adminRoutes,
  cliCommands,
  configSections,
  dashboardUis,
  database,
  dbSchemas,
  definePlugin,
  defineRecovery,
  dueTimes,
  metricCollectors,
  optional,
  provide,
  taskKinds,
  taskQueue,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { doctorChecks } from '#kernel/system'
import { bucketDetailParts } from '#plugins/admin'
import { feeSavers } from '#plugins/costs'
import { bucketCreations, bucketDeletions, packCollectors } from '#plugins/storage'
import { packCommands } from './commands/commands.ts'
import { packsSection } from './settings.ts'

/** Many small contents in one paid piece. Storage reads, counts and deletes the members, also without this plugin. */
export const packsPlugin = definePlugin({
  id: 'packs',
  requires: ['storage'],
  provides: async () => {
    const { providers } = await import('#plugins/providers')
    const { placements } = await import('#plugins/replication')
    const { createPackLimits, packLimits } = await import('./sealing/pack-limits.ts')
    return [
      provide(
        packLimits,
        { settings: packsSection.settings, placements: optional(placements), providers: optional(providers) },
        createPackLimits,
      ),
    ]
  },
  contributes: [
    configSections.with(packsSection),
    adminRoutes.load(
      async () => (await import('./shown/pack-routes.ts')).packRoutes,
      async () => (await import('./shown/policy-routes.ts')).packingPolicyRoutes,
      async () => (await import('./stored/stored-routes.ts')).storedRoutes,
    ),
    cliCommands.with(...packCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    packCollectors.load(async () => (await import('./sealing/collector.ts')).smallContents),
    bucketCreations.load(async () => (await import('./policies/bucket-packing.ts')).packingOfNewBuckets),
    bucketDeletions.load(async () => (await import('./policies/bucket-packing.ts')).packingDeletion),
    feeSavers.load(async () => (await import('./saving/packing-saves.ts')).packingSaves),
    bucketDetailParts.load(async () => (await import('./shown/bucket-part.ts')).bucketPackingPart),
    metricCollectors.load(async () => (await import('./shown/pack-metrics.ts')).packMetrics),
    doctorChecks.load(async () => (await import('./doctor/pack-checks.ts')).packChecks),
    dueTimes.load(async () => (await import('./compaction/erasure-store.ts')).erasureTimes),
    taskKinds.load(
      async () => (await import('./sealing/seal-pack-task.ts')).sealPackTask,
      async () => (await import('./upkeep/keep-packs-task.ts')).keepPacksTask,
      async () => (await import('./compaction/compact-packs-task.ts')).compactPacksTask,
      async () => (await import('./stored/pack-stored-task.ts')).packStoredTask,
      async () => (await import('./compaction/compact-packs-task.ts')).findCompactionsTask,
    ),
    taskSchedules.load(
      async () => (await import('./upkeep/keep-packs-task.ts')).keepPacksSchedule,
      async () => (await import('./compaction/compact-packs-task.ts')).findCompactionsSchedule,
    ),
    taskRecoveries.with(
      defineRecovery({
        name: 'packs.unsealed',
        uses: { database, queue: taskQueue },
        run: async ({ database, queue }) => (await import('./upkeep/keep-packs.ts')).enqueueSeals(database, queue),
      }),
    ),
    dbSchemas.with({
      name: 'packs',
      load: async () => ({ migrations: (await import('./migrations.ts')).packMigrations }),
      entities: async () => [
        (await import('./policies/bucket-packing-entity.ts')).bucketPackingEntity,
        (await import('./compaction/pack-move-entity.ts')).packMoveEntity,
        (await import('./compaction/asked-compaction-entity.ts')).askedCompactionEntity,
        (await import('./compaction/sealed-pack-entity.ts')).sealedPackEntity,
        (await import('./stored/asked-packing-entity.ts')).askedPackingEntity,
      ],
    }),
  ],
})
