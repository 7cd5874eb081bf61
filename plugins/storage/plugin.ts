import {
  clock,
  configSections,
  database,
  dbSchemas,
  definePlugin,
  defineRecovery,
  dueTimes,
  eventKinds,
  healthChecks,
  log,
  metricCollectors,
  taskKinds,
  taskQueue,
  taskRecoveries,
  taskSchedules,
} from '#kernel'
import { backupFiles, contributions, defineOwnedDirectory, doctorChecks, doctorFixes, memoryParts, ownedDirectories } from '#kernel/system'
import { bucketUpdated, contents, objectsUpdated, packCollectors, packs } from './contract.ts'
import { cache, keepers } from './services.ts'
import { cacheSection } from './settings.ts'

/** Buckets, objects, their versions and their cached bytes. Plugins that keep copies elsewhere attach through the contract. */
export const storagePlugin = definePlugin({
  id: 'storage',
  provides: async () => (await import('./wiring.ts')).storageServices,
  contributes: [
    configSections.with(cacheSection),
    ownedDirectories.with(defineOwnedDirectory('cache directory', cacheSection, 'dir', ['blobs', 'quarantine'])),
    backupFiles.load(async () => (await import('./backup/cache-backup.ts')).cacheBackup),
    dbSchemas.with({
      name: 'storage',
      load: async () => {
        const { storageMigrations } = await import('./migrations/all-migrations.ts')
        return { migrations: storageMigrations }
      },
      entities: async () => (await import('./entities.ts')).storageEntities,
    }),
    dueTimes.load(async () => (await import('./catalog/packs/waiting-store.ts')).waitingTimes),
    taskKinds.load(
      async () => (await import('./upkeep/review-durability-task.ts')).reviewDurabilityTask,
      async () => (await import('./upkeep/reconcile-capacity-task.ts')).reconcileCapacityTask,
      async () => (await import('./upkeep/evict-task.ts')).evictTask,
    ),
    taskSchedules.load(async () => (await import('./upkeep/reconcile-capacity-task.ts')).reconcileCapacitySchedule),
    taskRecoveries.with(
      defineRecovery({
        name: 'storage.cache-upkeep',
        uses: { cache },
        // Upkeep runs in the background: orphans of earlier runs only take space.
        run: async ({ cache }) => void cache.startUpkeep(),
      }),
      defineRecovery({
        name: 'storage.cache-room',
        uses: { database, taskQueue },
        // After a stop, or with another policy or a smaller capacity, bytes may have to be evicted.
        run: async ({ database, taskQueue }) => {
          const { enqueueReconcileCapacity } = await import('./upkeep/reconcile-capacity-task.ts')
          await database.write((tx) => enqueueReconcileCapacity(tx, taskQueue))
        },
      }),
      // Before the returned keepers, which would store the parts.
      defineRecovery({
        name: 'storage.unfinished-puts',
        uses: { database, cache, clock, log, keepers },
        run: async (deps) => (await import('./objects/held-parts.ts')).dropAbandonedParts(deps),
      }),
      defineRecovery({
        name: 'storage.returned-keepers',
        uses: { database, clock, keepers, contents },
        run: async (deps) => (await import('./contents/catch-up.ts')).catchUp(deps),
      }),
      defineRecovery({
        name: 'storage.uncollected-contents',
        uses: { database, packs, contributions },
        run: async ({ database, packs, contributions }) => {
          if (contributions.to(packCollectors).length > 0) return
          await (await import('./packs/uncollected.ts')).giveUncollected(database, packs)
        },
      }),
      // After the returned keepers, which release their copies.
      defineRecovery({
        name: 'storage.deleted-contents',
        uses: { database, contents },
        run: async ({ database, contents }) => (await import('./contents/forget-leftovers.ts')).forgetLeftovers(database, contents),
      }),
    ),
    healthChecks.load(async () => (await import('./upkeep/cache-health.ts')).cacheHealth),
    metricCollectors.load(async () => (await import('./upkeep/cache-metrics.ts')).cacheMetrics),
    memoryParts.load(async () => (await import('./upkeep/cache-metrics.ts')).cacheMemory),
    doctorChecks.load(async () => (await import('./doctor/checks.ts')).storageChecks),
    doctorFixes.load(async () => (await import('./doctor/fixes.ts')).storageFixes),
    eventKinds.with(bucketUpdated, objectsUpdated),
  ],
})
