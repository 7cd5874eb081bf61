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
  taskQueue,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { cacheHealth } from './cache/cache-health.ts'
import { cacheMetrics } from './cache/cache-metrics.ts'
import { evictTask } from './cache/evict-task.ts'
import { enqueueReconcileCapacity, reconcileCapacitySchedule, reconcileCapacityTask } from './cache/reconcile-capacity-task.ts'
import { reviewDurabilityTask } from './cache/review-durability-task.ts'
import { bucketUpdated } from './contract.ts'
import { commitTask } from './copies/commit-task.ts'
import { confirmationUpdated } from './copies/copy-events.ts'
import { pullTask } from './copies/pull-task.ts'
import { storeFreedRecovery } from './copies/store-freed.ts'
import { storeTask } from './copies/store-task.ts'
import { uploadProgressUpdated, uploadStateChanged } from './copies/upload-events.ts'
import { ensureDataSetTask } from './datasets/ensure-data-set-task.ts'
import { storageDueTimes } from './due-times-store.ts'
import { verifyLandingsRecovery, verifyLandingsTask } from './finality/verify-landings-task.ts'
import { objectStateMetric } from './objects/object-metrics.ts'
import { cleanupTask } from './removals/cleanup-task.ts'
import { forgetLeftovers } from './removals/forget-leftovers.ts'
import { cache } from './services.ts'
import { cacheSection } from './settings.ts'
import { storageServices } from './wiring.ts'

/** Buckets, objects, their cached bytes, and their copies on paid providers. */
export const storagePlugin = definePlugin({
  id: 'storage',
  requires: ['wallet'],
  provides: storageServices,
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
    taskKinds.with(
      storeTask,
      ensureDataSetTask,
      pullTask,
      commitTask,
      reviewDurabilityTask,
      reconcileCapacityTask,
      evictTask,
      cleanupTask,
      verifyLandingsTask,
    ),
    taskSchedules.with(reconcileCapacitySchedule),
    dueTimes.with(storageDueTimes),
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
        run: ({ database, taskQueue }) => database.write((tx) => enqueueReconcileCapacity(tx, taskQueue)),
      }),
      defineRecovery({
        name: 'storage.deleted-contents',
        uses: { database },
        run: ({ database }) => forgetLeftovers(database),
      }),
      storeFreedRecovery,
      verifyLandingsRecovery,
    ),
    healthChecks.with(cacheHealth),
    metricCollectors.with(...cacheMetrics, objectStateMetric),
    eventKinds.with(bucketUpdated, uploadProgressUpdated, uploadStateChanged, confirmationUpdated),
  ],
})
