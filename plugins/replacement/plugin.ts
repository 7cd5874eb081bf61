import { adminRoutes, cliCommands, configSections, dbSchemas, definePlugin, taskKinds, taskRecoveries, taskSchedules } from '#kernel'
import { doctorChecks } from '#kernel/system'
import { bucketDeletions, releaseGuards } from '#plugins/storage'
import { repairCommands } from './repair/commands/commands.ts'
import { repairSection, replacementSection } from './settings.ts'
import { whatIfCommands } from './what-if/commands/commands.ts'

/** Moves replicas of buckets to other storage providers. */
export const replacementPlugin = definePlugin({
  id: 'replacement',
  accompanies: ['replication', 'storage', 'providers', 'wallet'],
  provides: async () => (await import('./wiring.ts')).replacementServices,
  contributes: [
    adminRoutes.load(
      async () => (await import('./what-if/what-if-routes.ts')).whatIfRoutes,
      async () => (await import('./repair/repair-routes.ts')).repairRoutes,
    ),
    cliCommands.with(...whatIfCommands, ...repairCommands),
    configSections.with(replacementSection, repairSection),
    dbSchemas.with({
      name: 'replacement',
      load: async () => ({ migrations: (await import('./migrations/all-migrations.ts')).replacementMigrations }),
      entities: async () => [
        (await import('./records/replacement-entity.ts')).replacementEntity,
        (await import('./records/item-entity.ts')).replacementItemEntity,
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
