import { adminRoutes, cliCommands, configSections, dbSchemas, definePlugin, taskKinds, taskRecoveries, taskSchedules } from '#kernel'
import { doctorChecks } from '#kernel/system'
import { bucketDeletions } from '#plugins/storage'
import { replacementSection } from './settings.ts'
import { whatIfCommands } from './what-if/commands/commands.ts'

/** Moves replicas of buckets to other storage providers. */
export const replacementPlugin = definePlugin({
  id: 'replacement',
  accompanies: ['replication', 'storage', 'providers', 'wallet'],
  provides: async () => (await import('./wiring.ts')).replacementServices,
  contributes: [
    adminRoutes.load(async () => (await import('./what-if/what-if-routes.ts')).whatIfRoutes),
    cliCommands.with(...whatIfCommands),
    configSections.with(replacementSection),
    dbSchemas.with({
      name: 'replacement',
      load: async () => ({ migrations: (await import('./migrations/all-migrations.ts')).replacementMigrations }),
      entities: async () => [
        (await import('./records/replacement-entity.ts')).replacementEntity,
        (await import('./records/item-entity.ts')).replacementItemEntity,
      ],
    }),
    taskKinds.load(
      async () => (await import('./engine/drive-task.ts')).driveReplacementTask,
      async () => (await import('./engine/resume-task.ts')).resumeReplacementsTask,
    ),
    taskSchedules.load(async () => (await import('./engine/resume-task.ts')).resumeSchedule),
    taskRecoveries.load(async () => (await import('./engine/resume-task.ts')).resumeRecovery),
    bucketDeletions.load(async () => (await import('./engine/bucket-deletion.ts')).replacementBucketDeletion),
    doctorChecks.load(async () => (await import('./doctor/checks.ts')).replacementChecks),
  ],
})
