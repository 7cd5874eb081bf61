import {
  adminRoutes,
  cliCommands,
  configSections,
  dashboardUis,
  dbSchemas,
  definePlugin,
  eventKinds,
  metricCollectors,
  taskKinds,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { doctorChecks } from '#kernel/system'
import { bucketDetailParts, overviewParts } from '#plugins/admin'
import { bucketDeletions, releaseGuards } from '#plugins/storage'
import { replacementCommands } from './commands/commands.ts'
import { repairCommands } from './repair/commands/commands.ts'
import { repairSection, replacementSection } from './settings.ts'
import { whatIfCommands } from './what-if/commands/commands.ts'

/** Moves replicas of buckets to other storage providers. */
export const replacementPlugin = definePlugin({
  id: 'replacement',
  accompanies: ['replication', 'storage', 'providers', 'wallet'],
  provides: async () => (await import('./wiring.ts')).replacementServices,
  contributes: [
    configSections.with(replacementSection, repairSection),
    adminRoutes.load(
      async () => (await import('./api/replacement-routes.ts')).replacementRoutes,
      async () => (await import('./what-if/what-if-routes.ts')).whatIfRoutes,
      async () => (await import('./repair/repair-routes.ts')).repairRoutes,
    ),
    overviewParts.load(async () => (await import('./api/replacement-parts.ts')).replacementOverview),
    bucketDetailParts.load(async () => (await import('./api/replacement-parts.ts')).bucketReplacementsPart),
    eventKinds.load(async () => (await import('./events/replacement-updates.ts')).replacementUpdated),
    metricCollectors.load(
      async () => (await import('./metrics/replacement-metrics.ts')).replacementMetrics,
      async () => (await import('./repair/repair-metrics.ts')).repairMetrics,
    ),
    cliCommands.with(...replacementCommands, ...whatIfCommands, ...repairCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    dbSchemas.with({
      name: 'replacement',
      load: async () => ({ migrations: (await import('./migrations/all-migrations.ts')).replacementMigrations }),
      entities: async () => [
        (await import('./records/replacement-entity.ts')).replacementEntity,
        (await import('./records/item-entity.ts')).replacementItemEntity,
        (await import('./records/count-entity.ts')).replacementCountEntity,
        (await import('./repair/signal-entity.ts')).repairSignalEntity,
        (await import('./repair/decision-entity.ts')).repairDecisionEntity,
      ],
    }),
    taskKinds.load(
      async () => (await import('./engine/drive-task.ts')).driveReplacementTask,
      async () => (await import('./engine/resume-task.ts')).resumeReplacementsTask,
      async () => (await import('./repair/repair-task.ts')).repairTask,
    ),
    taskSchedules.load(
      async () => (await import('./engine/resume-task.ts')).resumeSchedule,
      async () => (await import('./repair/repair-task.ts')).repairSchedule,
    ),
    taskRecoveries.load(
      async () => (await import('./engine/resume-task.ts')).resumeRecovery,
      async () => (await import('./repair/repair-task.ts')).repairRecovery,
    ),
    releaseGuards.load(async () => (await import('./engine/keep-bytes.ts')).movingBytesGuard),
    bucketDeletions.load(async () => (await import('./engine/bucket-deletion.ts')).replacementBucketDeletion),
    doctorChecks.load(async () => (await import('./doctor/checks.ts')).replacementChecks),
  ],
})
