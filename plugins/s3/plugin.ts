/** The S3 API: its server, its users and their settings. */

import {
  adminRoutes,
  cliCommands,
  clock,
  configSections,
  dashboardUis,
  database,
  dbSchemas,
  definePlugin,
  dueTimes,
  metricCollectors,
  optional,
  provide,
  taskKinds,
  taskSchedules,
} from '#kernel'
import { listeners } from '#kernel/server'
import { defineSecretFile, memoryParts, secretFiles } from '#kernel/system'
import { bucketDeletions, bucketOwnerChecks, buckets, objectSizeChoices, versionCopies } from '#plugins/storage'
import { bucketSettingCommands } from './administration/commands/commands.ts'
import { lifecycleEngine, lifecycleRules, publicAccess, s3Users } from './contract.ts'
import { s3AccessSection, s3LimitsSection, s3Section, serverSection, serverTlsSection } from './settings.ts'
import { userCommands } from './users/commands/commands.ts'

export const s3Plugin = definePlugin({
  id: 's3',
  requires: ['storage'],
  provides: async () => {
    const { createUserDirectory, userDirectory } = await import('./users/user-directory.ts')
    const { bucketSettings, createBucketSettings } = await import('./bucket-settings/bucket-settings.ts')
    const { createLifecycleRules } = await import('./bucket-settings/lifecycle-rules.ts')
    const { accessLists, createAccessLists } = await import('./access/access-lists.ts')
    const { createPublicAccess } = await import('./access/public-access.ts')
    const { bucketQuotas, createBucketQuotas } = await import('./limits/bucket-quotas.ts')
    const { createStorageLimits, storageLimits } = await import('./limits/limits.ts')
    const { OperationCounts, operationCounts } = await import('./server/request-metrics.ts')
    const { DocumentMemory, documentMemory } = await import('./server/document-memory.ts')
    const { OpenConnections, openConnections } = await import('./server/open-connections.ts')
    return [
      provide(userDirectory, { database, buckets, clock }, createUserDirectory),
      provide(bucketSettings, { database, clock }, createBucketSettings),
      provide(lifecycleRules, { database, buckets, clock, engine: optional(lifecycleEngine) }, createLifecycleRules),
      provide(accessLists, { database, buckets, clock, settings: s3Section.settings, users: userDirectory }, createAccessLists),
      provide(bucketQuotas, { database, buckets, clock }, createBucketQuotas),
      provide(
        storageLimits,
        { buckets, quotas: bucketQuotas, users: userDirectory, settings: s3LimitsSection.settings, clock },
        createStorageLimits,
      ),
      provide(publicAccess, { database, accessLists }, createPublicAccess),
      provide(operationCounts, {}, () => new OperationCounts()),
      provide(documentMemory, {}, () => new DocumentMemory()),
      provide(openConnections, {}, () => new OpenConnections()),
      provide(s3Users, { userDirectory }, (uses) => uses.userDirectory),
    ]
  },
  contributes: [
    configSections.with(serverSection, serverTlsSection, s3Section, s3LimitsSection, s3AccessSection),
    secretFiles.with(defineSecretFile(serverTlsSection, ({ key_file }) => key_file)),
    dbSchemas.with({
      name: 's3',
      load: () => import('./migrations.ts'),
      entities: async () => [
        (await import('./users/user-entity.ts')).userEntity,
        (await import('./users/new-data-sets-entity.ts')).newDataSetsEntity,
        (await import('./bucket-settings/bucket-setting-entity.ts')).bucketSettingEntity,
        (await import('./access/object-access-entity.ts')).objectAccessEntity,
        (await import('./access/upload-access-entity.ts')).uploadAccessEntity,
      ],
    }),
    adminRoutes.load(
      async () => (await import('./users/user-routes.ts')).userRoutes,
      async () => (await import('./administration/bucket-setting-routes.ts')).bucketSettingRoutes,
      async () => (await import('./administration/upload-routes.ts')).openUploadRoutes,
      async () => (await import('./administration/share-routes.ts')).shareRoutes,
    ),
    cliCommands.with(...userCommands, ...bucketSettingCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    listeners.load(async () => (await import('./server/listener.ts')).s3Listener),
    // Runs in the transaction that sets the owner, so that a concurrent deletion of the user is seen.
    bucketOwnerChecks.load(async () => (await import('./users/owner-check.ts')).userCheck),
    dueTimes.load(async () => (await import('./bucket-settings/bucket-setting-store.ts')).settingTimes),
    bucketDeletions.load(async () => (await import('./bucket-settings/bucket-settings.ts')).bucketSettingsDeletion),
    versionCopies.load(async () => (await import('./access/restored-access.ts')).restoredAccess),
    objectSizeChoices.load(async () => (await import('./object-sizes.ts')).chosenSizes),
    memoryParts.load(
      async () => (await import('./server/document-memory.ts')).documentMemoryPart,
      async () => (await import('./server/open-connections.ts')).connectionsMemoryPart,
    ),
    metricCollectors.load(
      async () => (await import('./server/request-metrics.ts')).requestMetrics,
      async () => (await import('./server/open-connections.ts')).trafficMetric,
    ),
    taskKinds.load(
      async () => (await import('./uploads/expire-uploads-task.ts')).expireUploadsTask,
      async () => (await import('./users/write-uses-task.ts')).writeUsesTask,
    ),
    taskSchedules.load(
      async () => (await import('./uploads/expire-uploads-task.ts')).expireUploadsSchedule,
      async () => (await import('./users/write-uses-task.ts')).writeUsesSchedule,
    ),
  ],
})
