/** A storage plugin in memory that fulfils the storage contract as far as the Admin API uses it. */
import { createHash } from 'node:crypto'
import { clock, defineErrors, definePlugin, events, newUlid, type Plugin, provide } from '#kernel'
import { type DataSetRecord, type Placement, type Placements, type ProviderFacts, placements, providerFacts } from '#plugins/replication'
import {
  type Bucket,
  type BucketRef,
  type Buckets,
  type BucketUsage,
  buckets,
  bucketUpdated,
  cacheGauge,
  type ListPage,
  type ListRequest,
  type Objects,
  type ObjectVersion,
  objects,
  type PutObject,
  type Versions,
  versions,
} from '#plugins/storage'

const errors = defineErrors({
  bucket_exists: { status: 409, message: 'The bucket exists already.' },
  bucket_not_found: { status: 404, message: 'There is no such bucket.' },
  invalid_bucket_name: { status: 400, message: 'The name is not a valid bucket name.' },
  copy_policy_minimum_exceeds_target: { status: 400, message: 'The minimum is above the number of copies.' },
  invalid_key: { status: 400, message: 'The key is not valid.' },
  object_not_found: { status: 404, message: 'There is no such object.' },
  version_not_found: { status: 404, message: 'There is no such version.' },
  is_delete_marker: { status: 405, message: 'This version is a delete marker.' },
  entity_too_small: { status: 400, message: 'The object is too small.' },
  entity_too_large: { status: 413, message: 'The object is too large.' },
  cache_full: { status: 507, message: 'The cache is full.' },
  cache_busy: { status: 503, message: 'The cache is full and eviction is running.' },
  content_unavailable: { status: 503, message: 'No provider answers.' },
})

type StorageFailure = 'cache_full' | 'cache_busy' | 'content_unavailable'

export interface MemoryStorage {
  readonly plugins: readonly Plugin[]
  /** What the list of versions on data sets returns: tests that call it set it. */
  readonly replicas: { versionsOn?: Placements['versionsOn'] }
  /** Sets where a version's bytes are. Default: only in the cache. */
  place(versionId: string, placement: Partial<Placement>): void
  addDataSet(record: DataSetRecord): void
  /** By provider; without an entry nothing is known. */
  readonly facts: Map<string, ProviderFacts>
  /** Makes every put and open fail; undefined ends that. */
  failWith(failure: StorageFailure | undefined): void
  /** What the operations on versions do: tests set those they call. */
  readonly history: Partial<Versions>
  /** Calls that read the usage and the data sets of buckets. */
  readonly bucketReads: { usages: number; dataSets: number }
  /** Objects opened and not yet disposed. */
  openCount(): number
}

interface Stored {
  readonly version: ObjectVersion
  readonly bytes: Buffer
}

interface State {
  readonly byName: Map<string, Bucket>
  /** By bucket name; oldest first. */
  readonly versions: Map<string, Stored[]>
  readonly placed: Map<string, Partial<Placement>>
  readonly dataSets: DataSetRecord[]
  readonly bucketReads: MemoryStorage['bucketReads']
  failure: StorageFailure | undefined
  open: number
  contents: number
}

const pieceBytes = 64 * 1024
const sizes = { sizeBytesMin: 127, sizeBytesMax: 1_065_353_216 } as const

export function createMemoryStorage(): MemoryStorage {
  const state: State = {
    byName: new Map(),
    versions: new Map(),
    placed: new Map(),
    dataSets: [],
    bucketReads: { usages: 0, dataSets: 0 },
    failure: undefined,
    open: 0,
    contents: 0,
  }
  const history: Partial<Versions> = {}
  const replicas: MemoryStorage['replicas'] = {}
  const facts: MemoryStorage['facts'] = new Map()
  const replication = definePlugin({
    id: 'replication',
    requires: ['storage'],
    provides: [
      provide(providerFacts, {}, () => ({ of: (providerId) => facts.get(providerId) ?? {} })),
      provide(placements, {}, () => ({
        ofVersion: async (bucketId, versionId) => {
          const found = all(state).find(({ version }) => version.bucketId === bucketId && version.versionId === versionId)
          return found && placementOf(state, found.version)
        },
        ofContents: async (contentIds) =>
          new Map(
            all(state).flatMap(({ version }) => {
              if (version.contentId === null || !contentIds.includes(version.contentId)) return []
              const placement = placementOf(state, version)
              const isOnChain = placement.copies.some(({ status }) => status === 'committed')
              return [[version.contentId, { ...placement, isOnChain }] as const]
            }),
          ),
        versionsOn: async (request) => {
          if (!replicas.versionsOn) throw new Error('the test sets versionsOn')
          return await replicas.versionsOn(request)
        },
        async dataSetsOf(ids) {
          state.bucketReads.dataSets += 1
          return state.dataSets.filter((record) => ids.includes(record.bucketId))
        },
        countDataSets: async () => countBy(state.dataSets),
        countConfirmations: async () => 0,
        countVersionsOn: async (dataSets, max) =>
          Math.min(max, Math.max(0, ...dataSets.map(({ referencedVersions }) => referencedVersions))),
        countObjects: async () => ({ byState: countStates(state), unavailable: 0 }),
      })),
    ],
  })
  const storage = definePlugin({
    id: 'storage',
    provides: [
      provide(buckets, { clock, events }, ({ clock, events }) => {
        const made = createBuckets(state, () => clock.now())
        const telling = async (change: Promise<Bucket>) => {
          const bucket = await change
          events.publish(bucketUpdated, { bucket_name: bucket.name })
          return bucket
        }
        return {
          ...made,
          create: (request) => telling(made.create(request)),
          setOwner: (name, owner) => telling(made.setOwner(name, owner)),
        }
      }),
      provide(objects, { clock }, ({ clock }) => createObjects(state, () => clock.now())),
      // An operation that the test did not set is a fault of the route that calls it.
      provide(versions, {}, () => history as Versions),
      provide(cacheGauge, {}, () => ({
        stats: () => ({
          usedBytes: all(state).reduce((sum, { bytes }) => sum + bytes.length, 0),
          maxBytes: 2 ** 30,
          reservedBytes: 0,
          evictionPolicy: 'lru' as const,
          highWatermarkBytes: 2 ** 29,
          lowWatermarkBytes: 2 ** 28,
          isEvictionPaused: false,
        }),
      })),
    ],
  })
  return {
    plugins: [storage, replication],
    replicas,
    facts,
    history,
    place: (versionId, placement) => void state.placed.set(versionId, placement),
    addDataSet: (record) => void state.dataSets.push(record),
    failWith: (failure) => {
      state.failure = failure
    },
    bucketReads: state.bucketReads,
    openCount: () => state.open,
  }
}

const countBy = (dataSets: readonly DataSetRecord[]) =>
  new Map([...Map.groupBy(dataSets, ({ status }) => status)].map(([status, { length }]) => [status, length]))

const all = (state: State): readonly Stored[] => [...state.versions.values()].flat()

function countStates(state: State): Map<Placement['state'], number> {
  const current = all(state).filter(({ version }) => version.isCurrent && !version.isDeleteMarker)
  const groups = Map.groupBy(current, ({ version }) => placementOf(state, version).state)
  return new Map([...groups].map(([name, { length }]) => [name, length]))
}

function placementOf(state: State, version: ObjectVersion): Placement {
  const cached = {
    state: 'cached',
    isCached: !version.isDeleteMarker,
    pieceCid: null,
    requestedCopies: 0,
    copies: [],
    message: null,
    updatedAtMs: version.createdAtMs,
    upload: null,
  } as const
  return { ...cached, ...state.placed.get(version.versionId) }
}

function requireBucket({ byName }: State, wanted: BucketRef): Bucket {
  const bucket = byName.get(typeof wanted === 'string' ? wanted : wanted.name)
  if (!bucket) throw errors.bucket_not_found()
  return bucket
}

function createBuckets(state: State, now: () => number): Buckets {
  return {
    async create({ name, ownerAccessKey, defaultCopies = 3, minimumDurableCopies = defaultCopies }) {
      if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) throw errors.invalid_bucket_name()
      if (minimumDurableCopies > defaultCopies) throw errors.copy_policy_minimum_exceeds_target()
      if (state.byName.has(name)) throw errors.bucket_exists()
      const times = { createdAtMs: now(), updatedAtMs: now() }
      const bucket = { id: state.byName.size + 1, name, ownerAccessKey, defaultCopies, minimumDurableCopies, ...times }
      state.byName.set(name, bucket)
      return bucket
    },
    find: (name) => state.byName.get(name),
    require: (bucket) => requireBucket(state, bucket),
    list: () => [...state.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    async usages(ids) {
      state.bucketReads.usages += 1
      return ids.map((id) => usageOf(all(state).filter(({ version }) => version.bucketId === id)))
    },
    totalUsage: async () => usageOf(all(state)),
    async setOwner(name, ownerAccessKey) {
      const bucket = { ...requireBucket(state, name), ownerAccessKey, updatedAtMs: now() }
      state.byName.set(name, bucket)
      return bucket
    },
    async setCopyPolicy(name) {
      // The rules are tested in the storage plugin and with the real plugins.
      throw new Error(`the storage in memory does not change the copies of '${name}'`)
    },
    async delete(name) {
      // No route of the Admin API deletes buckets.
      throw new Error(`the storage in memory does not delete '${name}'`)
    },
    countOwnedBy: async (owner) => [...state.byName.values()].filter(({ ownerAccessKey }) => ownerAccessKey === owner).length,
  }
}

function usageOf(versions: ReturnType<typeof all>): BucketUsage {
  const current = versions.filter(({ version }) => version.isCurrent && !version.isDeleteMarker)
  return { objectCount: current.length, totalSizeBytes: current.reduce((sum, { bytes }) => sum + bytes.length, 0) }
}

function createObjects(state: State, now: () => number): Objects {
  const of = (bucket: BucketRef) => state.versions.get(requireBucket(state, bucket).name) ?? []
  const locate = (bucket: BucketRef, key: string, versionId?: string) =>
    of(bucket).find(({ version }) => version.key === key && (versionId === undefined ? version.isCurrent : version.versionId === versionId))

  function add(
    wanted: BucketRef,
    version: Pick<ObjectVersion, 'key' | 'isDeleteMarker' | 'etag' | 'headers'>,
    bytes: Buffer,
  ): ObjectVersion {
    const bucket = requireBucket(state, wanted)
    const older = of(bucket).map((one) =>
      one.version.key === version.key ? { ...one, version: { ...one.version, isCurrent: false } } : one,
    )
    const contentId = version.isDeleteMarker ? null : ++state.contents
    const ids = { bucketId: bucket.id, versionId: newUlid(now()), contentId }
    const added = { ...version, ...ids, isCurrent: true, size: bytes.length, createdAtMs: now() }
    state.versions.set(bucket.name, [...older, { version: added, bytes }])
    return added
  }

  return {
    ...sizes,
    async put(request) {
      if (state.failure) throw errors[state.failure]()
      requireBucket(state, request.bucket)
      if (request.key.includes('\0') || Buffer.byteLength(request.key) > 1024) throw errors.invalid_key()
      const bytes = await collect(request)
      const etag = createHash('md5').update(bytes).digest('hex')
      return add(request.bucket, { key: request.key, isDeleteMarker: false, etag, headers: { ...request.headers, checksums: {} } }, bytes)
    },
    async copy() {
      // No Admin route calls it.
      throw new Error('the storage in memory does not copy objects')
    },
    find: async (bucket, key, versionId) => locate(bucket, key, versionId)?.version,
    async open(bucket, key, versionId) {
      const found = locate(bucket, key, versionId)
      if (!found) throw versionId === undefined ? errors.object_not_found() : errors.version_not_found()
      const { version, bytes } = found
      if (version.isDeleteMarker) throw versionId === undefined ? errors.object_not_found() : errors.is_delete_marker()
      if (state.failure) throw errors[state.failure]()
      state.open += 1
      return {
        version,
        source: 'cache',
        async *read({ start, end } = { start: 0, end: bytes.length - 1 }) {
          for (let at = start; at <= end; at += pieceBytes) yield bytes.subarray(at, Math.min(at + pieceBytes, end + 1))
        },
        async [Symbol.asyncDispose]() {
          state.open -= 1
        },
      }
    },
    async delete(bucket, key) {
      const headers = { contentType: '', system: {}, user: {}, checksums: {} }
      return add(bucket, { key, isDeleteMarker: true, etag: '', headers }, Buffer.alloc(0))
    },
    list: async (request) => listStored(of(request.bucket), request),
    contentTypes: async (versionIds) =>
      new Map(
        all(state)
          .filter(({ version }) => versionIds.includes(version.versionId))
          .map(({ version }) => [version.versionId, version.headers.contentType]),
      ),
  }
}

async function collect({ body, size = 0 }: PutObject): Promise<Buffer> {
  if (size > sizes.sizeBytesMax) throw errors.entity_too_large()
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  if (bytes.length < sizes.sizeBytesMin) throw errors.entity_too_small()
  return bytes
}

function listStored(stored: readonly Stored[], { prefix = '', delimiter = '', after = '', limit }: ListRequest): ListPage {
  const names = new Map<string, Stored | undefined>()
  const live = stored.filter(({ version }) => version.isCurrent && !version.isDeleteMarker && version.key.startsWith(prefix))
  for (const one of live.sort((a, b) => Buffer.compare(Buffer.from(a.version.key), Buffer.from(b.version.key)))) {
    const { key } = one.version
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    if (at < 0) names.set(key, one)
    else names.set(key.slice(0, at + delimiter.length), undefined)
  }
  const rest = [...names].filter(([name]) => Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0)
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)?.[0]
  return {
    entries: shown.flatMap(([, one]) =>
      one ? { ...one.version, id: one.version.contentId ?? 0, lastModifiedMs: one.version.createdAtMs } : [],
    ),
    commonPrefixes: shown.flatMap(([name, one]) => (one ? [] : name)),
    isTruncated: rest.length > shown.length,
    ...(last === undefined ? {} : { last }),
  }
}
