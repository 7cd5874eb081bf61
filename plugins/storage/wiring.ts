import { clock, database, events, log, provide, taskQueue } from '#kernel'
import { contributions } from '#kernel/system'
import { createBuckets } from './buckets/buckets.ts'
import { createCache } from './cache/cache.ts'
import { createCachedContents } from './cache/cached-contents.ts'
import { evictionRules } from './cache/capacity/eviction-policy.ts'
import { knownKeepers } from './catalog/contents/keeper-store.ts'
import { openFrom } from './contents/byte-sources.ts'
import { createContents } from './contents/contents.ts'
import { readCopyDefaults } from './contents/copy-defaults.ts'
import { createKeepers } from './contents/keepers.ts'
import { openMembers } from './contents/open-member.ts'
import { withPacking } from './contents/packing.ts'
import { hasOtherCopies, mayReleaseFrom } from './contents/release-guards.ts'
import {
  bucketCreations,
  bucketDeletions,
  bucketOwnerChecks,
  buckets,
  bucketUpdated,
  byteSources,
  cachedContents,
  cacheGauge,
  contents,
  copyDefaults,
  copyKeepers,
  objectSizeChoices,
  objects,
  packCollectors,
  packs,
  releaseGuards,
  uploads,
  versionCopies,
  versions,
} from './contract.ts'
import { createObjectEvents } from './events/object-events.ts'
import { createObjects } from './objects/objects.ts'
import { readSizeLimits } from './objects/size-choice.ts'
import { pieceParts } from './objects/size-policy.ts'
import { openPack } from './packs/open-pack.ts'
import { createPacks } from './packs/packs.ts'
import { attachedKeepers, cache, keepers, objectEvents, readCounts } from './services.ts'
import { cacheSection } from './settings.ts'
import { createCacheSchedule } from './upkeep/schedule.ts'
import { createUploads } from './uploads/uploads.ts'
import { createVersions } from './versions/versions.ts'

const bytesPerGb = 1024 ** 3

export const storageServices = [
  provide(attachedKeepers, { contributions }, ({ contributions }) => createKeepers(() => contributions.to(copyKeepers), knownKeepers)),
  provide(keepers, { attachedKeepers, contributions, clock, queue: taskQueue }, ({ attachedKeepers, contributions, clock, queue }) =>
    withPacking(attachedKeepers, {
      clock,
      collectors: () => contributions.to(packCollectors),
      finishEviction: createCacheSchedule(queue).finishEviction,
    }),
  ),
  provide(contents, { keepers }, ({ keepers }) => createContents(keepers)),
  provide(
    cache,
    { settings: cacheSection.settings, database, clock, log, queue: taskQueue, contributions, keepers, contents },
    ({ settings, queue, contributions, keepers, contents, ...deps }) => {
      const maxBytes = settings.max_size_gb * bytesPerGb
      const { lru_high_watermark_percent: highPercent, lru_low_watermark_percent: lowPercent } = settings
      return createCache({
        ...deps,
        dir: settings.dir,
        maxBytes,
        rules: evictionRules(settings.eviction_policy, { maxBytes, highPercent, lowPercent }),
        tasks: createCacheSchedule(queue),
        contents,
        fillsOnRead: settings.fill_on_read,
        usesThreads: settings.transfer_threads,
        databaseBytesMax: settings.database_object_bytes,
        onRecovered: keepers.needed,
        mayRelease: mayReleaseFrom(() => contributions.to(releaseGuards), hasOtherCopies({ keepers, contents, clock: deps.clock })),
      })
    },
  ),
  provide(
    buckets,
    { database, clock, contributions, queue: taskQueue, events, keepers, contents, cache },
    ({ contributions, queue, events, keepers, contents, cache, ...deps }) =>
      createBuckets({
        ...deps,
        partFiles: cache,
        defaults: readCopyDefaults(() => contributions.to(copyDefaults)),
        ownerChecks: () => contributions.to(bucketOwnerChecks).map(({ item }) => item),
        onChanged: ({ name }) => events.publish(bucketUpdated, { bucket_name: name }),
        async onCreated(tx, bucket) {
          for (const { item, services } of contributions.to(bucketCreations)) await item.created(services, tx, bucket)
        },
        onMinimumChanged: createCacheSchedule(queue).reviewDurability,
        async onGivenUp(tx, bucketId) {
          for (const { item } of contributions.to(bucketDeletions)) await item.deleted(tx, bucketId)
          await keepers.releaseBucket(tx, bucketId)
          await contents.forgetBucketIfReleased(tx, bucketId)
        },
      }),
  ),
  provide(cacheGauge, { cache }, ({ cache }) => cache),
  provide(cachedContents, { cache, database, queue: taskQueue }, ({ queue, ...deps }) =>
    createCachedContents({ ...deps, reconcileCapacity: createCacheSchedule(queue).reconcileCapacity }),
  ),
  provide(
    packs,
    { database, cache, clock, log, keepers: attachedKeepers, queue: taskQueue, contributions },
    ({ queue, contributions, log, ...deps }) =>
      createPacks({
        ...deps,
        openPack: (packId) => openPack({ ...deps, log, openUncached: openFrom(() => contributions.to(byteSources)) }, packId),
        collectors: () => contributions.to(packCollectors),
        finishEviction: createCacheSchedule(queue).finishEviction,
      }),
  ),
  provide(objectEvents, { clock, events }, createObjectEvents),
  provide(readCounts, {}, () => ({ cache: 0, provider: 0 })),
  provide(
    objects,
    { database, buckets, cache, clock, log, keepers, contributions, readCounts, objectEvents },
    ({ contributions, readCounts, objectEvents, ...deps }) =>
      createObjects({
        parts: pieceParts,
        ...deps,
        onChanged: objectEvents.changed,
        sizes: readSizeLimits(() => contributions.to(objectSizeChoices)),
        openUncached: openMembers(
          deps,
          openFrom(() => contributions.to(byteSources)),
        ),
        onRead: (from) => {
          readCounts[from] += 1
        },
        onNewContent: deps.keepers.needed,
      }),
  ),
  provide(
    uploads,
    { database, buckets, objects, cache, clock, log, keepers, contributions, objectEvents },
    ({ objects, contributions, objectEvents, ...deps }) =>
      createUploads({
        ...deps,
        onChanged: objectEvents.changed,
        sizes: () => ({ bytesMin: objects.sizeBytesMin, bytesMax: objects.sizeBytesMax }),
        parts: pieceParts,
        openUncached: openMembers(
          deps,
          openFrom(() => contributions.to(byteSources)),
        ),
        onNewContent: deps.keepers.needed,
      }),
  ),
  provide(
    versions,
    { database, buckets, cache, clock, log, keepers, contributions, objectEvents },
    ({ contributions, objectEvents, ...deps }) =>
      createVersions({
        ...deps,
        onChanged: objectEvents.changed,
        openUncached: openMembers(
          deps,
          openFrom(() => contributions.to(byteSources)),
        ),
        async onCopied(tx, from, to) {
          for (const { item } of contributions.to(versionCopies)) await item.copied(tx, from, to)
        },
      }),
  ),
] as const
