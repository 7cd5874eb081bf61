/** Creates the services of this plugin. Heavy modules are imported when their service is created. */
import { clock, contributions, database, events, log, provide, taskChanges, taskQueue, workerSection } from '#kernel'
import { chainClient, chainSettings, funds, signer } from '#plugins/wallet'
import { createCache } from './cache/cache.ts'
import { type BlobRef, blobsOfContent } from './cache/cache-store.ts'
import { evictionRules } from './cache/eviction-policy.ts'
import { createBuckets } from './catalog/buckets.ts'
import { bucketOwnerChecks, buckets, bucketUpdated, cacheGauge, objects, placements, versions } from './contract.ts'
import { sha256Of } from './copies/placement-store.ts'
import { createPlacements } from './copies/placements.ts'
import { storeNotifier } from './copies/store-notifier.ts'
import { storeConcurrency } from './copies/store-task.ts'
import { storeWhenDue } from './copies/store-when-due.ts'
import { createUploadEvents } from './copies/upload-events.ts'
import { createUploadMeter } from './copies/upload-meter.ts'
import { createObjects } from './objects/objects.ts'
import { createPace } from './pace.ts'
import { pipeline } from './pipeline.ts'
import { createSchedule } from './schedule.ts'
import { cache, pieceCalculator, providers, readCounts, remoteReader, uploadEvents, uploadMeter } from './services.ts'
import { cacheSection } from './settings.ts'
import { createVersions } from './versions/versions.ts'

const bytesPerGb = 1024 ** 3

export const storageServices = [
  provide(
    buckets,
    { database, clock, contributions, chain: chainSettings, queue: taskQueue, events },
    ({ contributions, chain, queue, events, ...deps }) =>
      createBuckets({
        ...deps,
        defaults: { defaultCopies: chain.default_copies, minimumDurableCopies: chain.default_minimum_durable_copies },
        ownerChecks: () => contributions.to(bucketOwnerChecks).map(({ item }) => item),
        onChanged: ({ name }) => events.publish(bucketUpdated, { bucket_name: name }),
        onMinimumChanged: createSchedule(queue).reviewDurability,
      }),
  ),
  provide(cache, { settings: cacheSection.settings, database, clock, log, queue: taskQueue }, ({ settings, queue, ...deps }) => {
    const maxBytes = settings.max_size_gb * bytesPerGb
    const { lru_high_watermark_percent: highPercent, lru_low_watermark_percent: lowPercent } = settings
    return createCache({
      ...deps,
      dir: settings.dir,
      maxBytes,
      rules: evictionRules(settings.eviction_policy, { maxBytes, highPercent, lowPercent }),
      tasks: createSchedule(queue),
    })
  }),
  provide(cacheGauge, { cache }, ({ cache }) => cache),
  provide(readCounts, {}, () => ({ cache: 0, provider: 0 })),
  provide(uploadEvents, { database, clock, events, taskChanges, log, queue: taskQueue }, createUploadEvents),
  provide(uploadMeter, { clock, uploadEvents }, (uses) => createUploadMeter(uses.clock, uses.uploadEvents.progressed)),
  provide(pieceCalculator, {}, async () => {
    const { createPieceCalculator } = await import('./pieces/piece-calculator.ts')
    return createPieceCalculator()
  }),
  provide(
    providers,
    { chain: chainClient, clock, log, settings: chainSettings, worker: workerSection.settings },
    async ({ settings, worker, ...deps }) => {
      const { createProviders } = await import('./datasets/providers.ts')
      const slots = {
        store: Math.min(storeConcurrency, worker.concurrency),
        mutation: Math.min(worker.provider_mutation_concurrency, worker.concurrency),
        removal: Math.min(worker.destructive_mutation_concurrency, worker.concurrency),
      }
      return createProviders({ ...deps, slots, egress: { allowPrivateNetworks: settings.allow_private_networks } })
    },
  ),
  provide(remoteReader, { database, clock, log, providers }, async (deps) => {
    const { createRemoteReader } = await import('./copies/read-remote.ts')
    return createRemoteReader(deps)
  }),
  provide(
    pipeline,
    {
      database,
      clock,
      log,
      events,
      queue: taskQueue,
      chain: chainClient,
      signer,
      funds,
      settings: chainSettings,
      providers,
      pieces: pieceCalculator,
      uploads: uploadMeter,
      uploadEvents,
      cache,
    },
    async ({ queue, cache, ...deps }) => {
      const { openWarmStorageReads } = await import('./chain/warm-storage-reads.ts')
      const schedule = createSchedule(queue)
      return {
        ...deps,
        schedule,
        notifyStore: storeNotifier({ ...deps, schedule }),
        reads: openWarmStorageReads(deps.chain),
        pace: createPace(deps.chain.network.epochSeconds * 1000),
        // Outside a run no attempts are counted.
        progressed() {},
        async locateCached(contentId: number) {
          const blob = blobsOfContent(deps.database.read, contentId)[0]
          if (!blob) return undefined
          const { blobId, length: size } = blob
          if (await cache.hasFile(blob)) return { path: cache.pathOf(blob), size, sha256: sha256Of(deps.database.read, contentId), blobId }
          await cache.forget(contentId, blob)
          return undefined
        },
        async forgetCached(contentId: number, { blobId }: Pick<BlobRef, 'blobId'>) {
          const blob = blobsOfContent(deps.database.read, contentId).find((candidate) => candidate.blobId === blobId)
          if (blob) await cache.forget(contentId, blob)
        },
      }
    },
  ),
  provide(
    objects,
    { database, buckets, cache, clock, remoteReader, queue: taskQueue, readCounts },
    ({ queue, remoteReader, readCounts, ...parts }) =>
      createObjects({
        ...parts,
        readRemote: remoteReader.open,
        onRead: (from) => {
          readCounts[from] += 1
        },
        onNewContent: storeWhenDue(queue),
      }),
  ),
  provide(
    versions,
    { database, buckets, cache, clock, chain: chainClient, remoteReader, log, queue: taskQueue },
    ({ remoteReader, chain, ...parts }) => {
      const schedule = createSchedule(parts.queue)
      const pace = createPace(chain.network.epochSeconds * 1000)
      return createVersions({
        ...parts,
        readRemote: remoteReader.open,
        onNewContent: storeWhenDue(parts.queue),
        // Wait one batching window: objects are often deleted in bulk, and a request takes 35 pieces.
        scheduleCleanup: (tx, dataSetId) => schedule.cleanup(tx, dataSetId, parts.clock.now() + pace.batchingWindowMs),
      })
    },
  ),
  provide(placements, { database, clock, queue: taskQueue, uploads: uploadMeter, providers }, ({ providers, ...deps }) =>
    createPlacements({
      ...deps,
      pieceUrl: (serviceUrl, pieceCid) => providers.client(serviceUrl).pieceUrl(pieceCid),
      providerName: (providerId) => providers.nameOf(providerId),
    }),
  ),
] as const
