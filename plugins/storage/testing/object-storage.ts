import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, type Database, type Log, type Reader, systemClock } from '#kernel'
import { type NamedMigrations, openTestDatabase, silentLog } from '#kernel/testing'
import { type BucketCatalog, createBuckets } from '../buckets/buckets.ts'
import { type Cache, createCache } from '../cache/cache.ts'
import { createCachedContents } from '../cache/cached-contents.ts'
import type { EvictionTasks } from '../cache/capacity/eviction.ts'
import { type EvictionRules, evictionRules } from '../cache/capacity/eviction-policy.ts'
import type { Disk } from '../cache/files/disk.ts'
import type { FillLimits } from '../cache/fills/fill-policy.ts'
import type { TransferOptions } from '../cache/transfer/open-transfers.ts'
import type { Attached } from '../contents/attached.ts'
import { type OpenUncached, openFrom } from '../contents/byte-sources.ts'
import { createContents } from '../contents/contents.ts'
import { createKeepers, type Keepers } from '../contents/keepers.ts'
import { openMembers } from '../contents/open-member.ts'
import { withPacking } from '../contents/packing.ts'
import { hasOtherCopies, mayReleaseFrom } from '../contents/release-guards.ts'
import type {
  CachedContents,
  Contents,
  CopyKeeper,
  Objects,
  ObjectVersion,
  OpenedObject,
  PackCollector,
  Packs,
  ReleaseGuard,
  SizeLimits,
  Uploads,
} from '../contract.ts'
import { storageMigrations } from '../migrations/all-migrations.ts'
import type { CommitDeps } from '../objects/commit-put.ts'
import { createObjects } from '../objects/objects.ts'
import { type PartLimits, pieceParts } from '../objects/size-policy.ts'
import { openPack } from '../packs/open-pack.ts'
import { createPacks } from '../packs/packs.ts'
import { createUploads } from '../uploads/uploads.ts'

export interface ObjectStorageOptions extends Partial<Pick<TransferOptions, 'memory' | 'digests' | 'usesThreads'>> {
  /** An existing folder, whose database and cache are reused and which is kept; default: a temporary one. */
  readonly dir?: string
  /** An existing database; default: that of `dir`. */
  readonly dsn?: string
  readonly maxBytes?: number
  /** Default: lru with the default watermarks. */
  readonly rules?: EvictionRules
  readonly sizes?: SizeLimits
  /** Default: whole pieces. */
  readonly parts?: PartLimits
  readonly disk?: Disk
  readonly log?: Log
  readonly clock?: Clock
  /** Bodies up to this size are kept in the database. Default: none. */
  readonly databaseBytesMax?: number
  /** Whether cold reads fill the cache. Default: no. */
  readonly fillsOnRead?: boolean
  readonly fillLimits?: Partial<FillLimits>
  readonly onNewContent?: CommitDeps['onNewContent']
  /** Default: no source has the bytes. */
  readonly openUncached?: OpenUncached
  readonly keepers?: readonly Attached<CopyKeeper>[]
  /** Names of the keepers of earlier starts. Default: none. */
  readonly knownKeepers?: (read: Reader) => Promise<readonly string[]>
  /** Takes contents that wait for a pack. Default: none. */
  readonly collector?: PackCollector
  readonly releaseGuards?: readonly Attached<ReleaseGuard>[]
  /** Migrations of plugins that attach to storage. */
  readonly moreSchemas?: readonly NamedMigrations[]
}

/** Objects, buckets and cache on a real database and real files, without replication, with a bucket named `photos`. */
export interface ObjectStorage extends AsyncDisposable {
  readonly dir: string
  readonly dsn: string
  readonly database: Database
  readonly buckets: BucketCatalog
  readonly cache: Cache
  readonly objects: Objects
  readonly uploads: Uploads
  readonly keepers: Keepers
  readonly contents: Contents
  readonly packs: Packs
  readonly cached: CachedContents
  /** Enqueued eviction tasks, such as `reconcile capacity`. */
  readonly scheduled: string[]
  /** Puts bytes, or a string as UTF-8, into `photos`. */
  put(key: string, bytes: string | Uint8Array, more?: Partial<Parameters<Objects['put']>[0]>): Promise<ObjectVersion>
  /** Reads an object in `photos` as UTF-8. */
  text(key: string, versionId?: string): Promise<string>
  /** Closes database and cache and keeps the folder. */
  stop(): Promise<void>
}

export async function openObjectStorage(options: ObjectStorageOptions = {}): Promise<ObjectStorage> {
  const { maxBytes = 64 * 1024 * 1024, clock = systemClock, sizes = { bytesMin: 1, bytesMax: 32 * 1024 * 1024 } } = options
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'svc-objects-')))
  const database = await openTestDatabase([{ name: 'storage', migrations: storageMigrations }, ...(options.moreSchemas ?? [])], {
    dir,
    ...(options.dsn !== undefined && { dsn: options.dsn }),
  })
  const scheduled: string[] = []
  const tasks: EvictionTasks = {
    reconcileCapacity: async () => void scheduled.push('reconcile capacity'),
    finishEviction: async (_tx, contentId) => void scheduled.push(`finish eviction ${contentId}`),
  }
  const { rules = evictionRules('lru', { maxBytes, highPercent: 90, lowPercent: 80 }) } = options
  const attachedKeepers = createKeepers(() => options.keepers ?? [], options.knownKeepers)
  const { collector } = options
  const keepers = withPacking(attachedKeepers, {
    clock,
    collectors: () => (collector ? [{ item: collector, services: {} }] : []),
    finishEviction: tasks.finishEviction,
  })
  const contents = createContents(keepers)
  const mayRelease = mayReleaseFrom(() => options.releaseGuards ?? [], hasOtherCopies({ keepers, contents, clock }))
  const { fillsOnRead = false, fillLimits = {}, databaseBytesMax = 0 } = options
  const fills = { fillsOnRead, fillLimits, databaseBytesMax, onRecovered: keepers.needed }
  const { disk, memory, digests, usesThreads = true, log = silentLog } = options
  const transfers = { usesThreads, ...(disk && { disk }), ...(memory && { memory }), ...(digests && { digests }) }
  const overrides = { mayRelease, contents, ...fills, ...transfers }
  const cached = { dir: join(dir, 'cache'), maxBytes, rules, tasks, database, clock, log, ...overrides }
  const cache = await createCache(cached).catch(async (error) => {
    await database[Symbol.asyncDispose]()
    throw error
  })
  const buckets = await createBuckets({
    database,
    clock,
    defaults: () => ({ defaultCopies: 2 }),
    partFiles: cache,
    async onGivenUp(tx, bucketId) {
      await keepers.releaseBucket(tx, bucketId)
      await contents.forgetBucketIfReleased(tx, bucketId)
    },
  })
  if (!buckets.find('photos')) await buckets.create({ name: 'photos', ownerAccessKey: null })
  const { onNewContent = keepers.needed } = options
  const openUncached = openMembers({ database }, options.openUncached ?? openFrom(() => []))
  const { parts = pieceParts } = options
  const more = { keepers, log, sizes: () => sizes, parts }
  const objectDeps = { database, buckets, cache, clock, ...more, onNewContent, openUncached }
  const objects = createObjects(objectDeps)
  const stop = async () => {
    await cache[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
  return {
    dir,
    dsn: database.dsn,
    database,
    buckets,
    cache,
    objects,
    uploads: createUploads(objectDeps),
    keepers,
    contents,
    cached: createCachedContents({ cache, database, reconcileCapacity: tasks.reconcileCapacity }),
    packs: createPacks({
      database,
      cache,
      clock,
      keepers: attachedKeepers,
      finishEviction: tasks.finishEviction,
      openPack: (packId) => openPack({ database, cache, log, openUncached }, packId),
    }),
    scheduled,
    put: (key, bytes, more) => {
      const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
      return objects.put({ bucket: 'photos', key, body: chunksOf(body), size: body.length, headers: plainHeaders, ...more })
    },
    text: async (key, versionId) => Buffer.from(await readAll(await objects.open('photos', key, versionId))).toString(),
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true })
    },
  }
}

export const plainHeaders = { contentType: 'binary/octet-stream', system: {}, user: {} }

/** Yields the bytes in chunks, like a request body. */
export async function* chunksOf(bytes: Uint8Array, chunkBytes = 64 * 1024): AsyncGenerator<Uint8Array, void, void> {
  for (let from = 0; from < bytes.length; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes)
}

/** Reads an opened object to its end and closes it. */
export async function readAll(opened: OpenedObject, range?: { readonly start: number; readonly end: number }): Promise<Uint8Array> {
  await using object = opened
  const blocks: Uint8Array[] = []
  for await (const block of object.read(range)) blocks.push(block)
  return Buffer.concat(blocks)
}
