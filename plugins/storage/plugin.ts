import {
  configSections,
  database,
  dbSchemas,
  defineOwnedDirectory,
  definePlugin,
  defineRecovery,
  dueTimes,
  eventKinds,
  healthChecks,
  metricCollectors,
  ownedDirectories,
  taskKinds,
  taskLanes,
  taskQueue,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { bucketUpdated } from './contract.ts'
import { confirmationUpdated } from './copies/copy-events.ts'
import { cache } from './services.ts'
import { cacheSection } from './settings.ts'

/** Buckets, objects, their cached bytes, and their copies on paid providers. */
export const storagePlugin = definePlugin({
  id: 'storage',
  requires: ['wallet'],
  provides: async () => (await import('./wiring.ts')).storageServices,
  contributes: [
    configSections.with(cacheSection),
    ownedDirectories.with(defineOwnedDirectory('cache directory', cacheSection, ({ dir }) => dir)),
    dbSchemas.with({
      name: 'storage',
      load: async () => {
        const { storageMigrations } = await import('./migrations/all-migrations.ts')
        return { migrations: storageMigrations }
      },
    }),
    taskKinds.load(
      async () => (await import('./copies/store-task.ts')).storeTask,
      async () => (await import('./datasets/ensure-data-set-task.ts')).ensureDataSetTask,
      async () => (await import('./copies/pull-task.ts')).pullTask,
      async () => (await import('./copies/commit-task.ts')).commitTask,
      async () => (await import('./cache/review-durability-task.ts')).reviewDurabilityTask,
      async () => (await import('./cache/reconcile-capacity-task.ts')).reconcileCapacityTask,
      async () => (await import('./cache/evict-task.ts')).evictTask,
      async () => (await import('./removals/cleanup-task.ts')).cleanupTask,
      async () => (await import('./finality/verify-landings-task.ts')).verifyLandingsTask,
    ),
    taskLanes.load(async () => (await import('./lanes.ts')).storageLanes),
    taskSchedules.load(async () => (await import('./cache/reconcile-capacity-task.ts')).reconcileCapacitySchedule),
    dueTimes.load(async () => (await import('./due-times-store.ts')).storageDueTimes),
    taskRecoveries.with(
      defineRecovery({
        name: 'storage.cache-upkeep',
        uses: { cache },
        // In the background: orphans of earlier runs only take space.
        run: async ({ cache }) => void cache.startUpkeep(),
      }),
      defineRecovery({
        name: 'storage.cache-room',
        uses: { database, taskQueue },
        // After a stop, or with another policy or a smaller capacity, bytes may have to be evicted.
        run: async ({ database, taskQueue }) => {
          const { enqueueReconcileCapacity } = await import('./cache/reconcile-capacity-task.ts')
          await database.write((tx) => enqueueReconcileCapacity(tx, taskQueue))
        },
      }),
      defineRecovery({
        name: 'storage.deleted-contents',
        uses: { database },
        run: async ({ database }) => (await import('./removals/forget-leftovers.ts')).forgetLeftovers(database),
      }),
    ),
    taskRecoveries.load(
      async () => (await import('./copies/store-freed.ts')).storeFreedRecovery,
      async () => (await import('./finality/verify-landings-task.ts')).verifyLandingsRecovery,
    ),
    healthChecks.load(async () => (await import('./cache/cache-health.ts')).cacheHealth),
    metricCollectors.load(
      async () => (await import('./cache/cache-metrics.ts')).cacheMetrics,
      async () => (await import('./objects/object-metrics.ts')).objectStateMetric,
    ),
    eventKinds.with(bucketUpdated, confirmationUpdated),
    eventKinds.load(async () => {
      const { uploadProgressUpdated, uploadStateChanged } = await import('./copies/upload-events.ts')
      return [uploadProgressUpdated, uploadStateChanged]
    }),
  ],
})
