/** Storage in memory that fulfils the storage contract as far as the S3 API uses it. */
import { createHash } from 'node:crypto'
import { type Clock, defineErrors, kernelErrors, newUlid } from '#kernel'
import type {
  Bucket,
  Buckets,
  CopyObject,
  ListEntry,
  ListPage,
  ListRequest,
  Objects,
  ObjectVersion,
  OpenedObject,
  PutObject,
  Uploads,
  Versions,
} from '#plugins/storage'
import { createMemoryVersions, type Stored } from './memory-versions.ts'

const { database_busy, database_unreachable, service_unavailable } = kernelErrors
const storageErrors = defineErrors({
  bucket_exists: { status: 409, message: 'The bucket exists already.' },
  bucket_not_empty: { status: 409, message: 'The bucket is not empty.' },
  bucket_not_found: { status: 404, message: 'There is no such bucket.' },
  invalid_bucket_name: { status: 400, message: 'The name is not a valid bucket name.' },
  object_not_found: { status: 404, message: 'There is no such object.' },
  version_not_found: { status: 404, message: 'There is no such version.' },
  is_delete_marker: { status: 405, message: 'This version is a delete marker.' },
  upload_not_found: { status: 404, message: 'There is no such upload.' },
  entity_too_small: { status: 400, message: 'The object is too small.' },
  entity_too_large: { status: 413, message: 'The object is too large.' },
  cache_full: { status: 507, message: 'The cache is full.' },
  database_full: { status: 507, message: 'The disk of the database is full.' },
  cache_busy: { status: 503, message: 'The cache is evicting.' },
  content_unavailable: { status: 503, message: 'No provider answers.' },
})
const errors = { ...storageErrors, database_busy, database_unreachable, service_unavailable }

const refuseUpload = async () => {
  throw errors.upload_not_found()
}

/** Uploads need real storage: `startStoredServer`. */
const noUploads: Uploads = {
  create: async () => {
    throw new Error('the storage in memory has no uploads')
  },
  find: async () => undefined,
  putPart: refuseUpload,
  copyPart: refuseUpload,
  list: async () => ({ uploads: [], commonPrefixes: [], isTruncated: false }),
  listParts: refuseUpload,
  complete: refuseUpload,
  abort: refuseUpload,
  partsOf: async () => [],
  expire: async () => 0,
}

type StorageFailure =
  | 'cache_full'
  | 'database_full'
  | 'cache_busy'
  | 'content_unavailable'
  | 'database_busy'
  | 'database_unreachable'
  | 'service_unavailable'

export interface MemoryStorage {
  readonly buckets: Buckets
  readonly objects: Objects
  /** No upload exists, and no object has parts. */
  readonly uploads: Uploads
  readonly versionHistory: Pick<Versions, 'delete' | 'deleteMany' | 'list' | 'setTags'>
  /** Every version of every key, oldest first. */
  versions(bucket: string, key: string): readonly ObjectVersion[]
  /** Objects opened and not yet disposed. */
  readonly openCount: () => number
  /** Makes every put and open fail; undefined: no failure. */
  failWith(failure: StorageFailure | undefined): void
}

const pieceBytes = 256 * 1024

export function createMemoryStorage(clock: Clock): MemoryStorage {
  const bucketsByName = new Map<string, Bucket>()
  const stored = new Map<string, Stored[]>()
  let open = 0
  let failure: StorageFailure | undefined

  const requireBucket = (name: string): Bucket => {
    const bucket = bucketsByName.get(name)
    if (bucket === undefined) throw errors.bucket_not_found()
    return bucket
  }
  const versionsOf = (bucket: string, key: string): Stored[] => stored.get(`${bucket}/${key}`) ?? []
  const locate = (bucket: string, key: string, versionId?: string): Stored | undefined => {
    const all = versionsOf(bucket, key)
    return versionId === undefined ? all.at(-1) : all.find(({ version }) => version.versionId === versionId)
  }
  const requireBytes = ({ bucket, key, versionId }: CopyObject['source']): Stored => {
    const found = locate(bucket, key, versionId)
    if (found === undefined) throw versionId === undefined ? errors.object_not_found() : errors.version_not_found()
    if (found.version.isDeleteMarker) throw versionId === undefined ? errors.object_not_found() : errors.is_delete_marker()
    return found
  }
  const add = (bucket: string, version: Omit<ObjectVersion, 'bucketId' | 'versionId' | 'isCurrent' | 'createdAtMs'>, bytes: Buffer) => {
    const now = clock.now()
    const { id } = requireBucket(bucket)
    const added: Stored = { version: { ...version, bucketId: id, versionId: newUlid(now), isCurrent: true, createdAtMs: now }, bytes }
    const older = versionsOf(bucket, version.key).map((one) => ({ ...one, version: { ...one.version, isCurrent: false } }))
    stored.set(`${bucket}/${version.key}`, [...older, added])
    return added.version
  }

  const buckets: Buckets = {
    async create({ name, ownerAccessKey, defaultCopies = 3, minimumDurableCopies = defaultCopies }) {
      if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) throw errors.invalid_bucket_name()
      if (bucketsByName.has(name)) throw errors.bucket_exists()
      const now = clock.now()
      const bucket = {
        id: bucketsByName.size + 1,
        name,
        ownerAccessKey,
        defaultCopies,
        minimumDurableCopies,
        createdAtMs: now,
        updatedAtMs: now,
      }
      bucketsByName.set(name, bucket)
      return bucket
    },
    find: (name) => bucketsByName.get(name),
    require: requireBucket,
    list: () => [...bucketsByName.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),
    usage: async () => ({ objectCount: 0, totalSizeBytes: 0 }),
    totalUsage: async () => ({ objectCount: 0, totalSizeBytes: 0 }),
    async setOwner(name, ownerAccessKey) {
      const bucket = { ...requireBucket(name), ownerAccessKey }
      bucketsByName.set(name, bucket)
      return bucket
    },
    async setCopyPolicy(name) {
      // No S3 operation calls it.
      throw new Error(`the storage in memory does not change the copy policy of '${name}'`)
    },
    async delete(name) {
      requireBucket(name)
      if ([...stored].some(([place, versions]) => place.startsWith(`${name}/`) && versions.length > 0)) throw errors.bucket_not_empty()
      bucketsByName.delete(name)
    },
    countOwnedBy: async (owner) => [...bucketsByName.values()].filter(({ ownerAccessKey }) => ownerAccessKey === owner).length,
  }

  const objects: Objects = {
    sizeBytesMin: 127,
    sizeBytesMax: 1_065_353_216,
    async put(request) {
      if (failure !== undefined) throw errors[failure]()
      requireBucket(request.bucket)
      const bytes = await collect(request, objects)
      const hash = (algorithm: string) => createHash(algorithm).update(bytes).digest('hex')
      const etag = hash('md5')
      const checksums = request.verify?.({ size: bytes.length, md5: etag, sha256: hash('sha256') }) ?? {}
      request.condition?.(locate(request.bucket, request.key)?.version)
      const headers = { ...request.headers, checksums }
      return add(request.bucket, { key: request.key, isDeleteMarker: false, contentId: 1, size: bytes.length, etag, headers }, bytes)
    },
    async copy({ source, target, headers, checksums, sourceCondition, condition }) {
      requireBucket(target.bucket)
      const found = requireBytes(source)
      sourceCondition?.(found.version)
      condition?.(locate(target.bucket, target.key)?.version)
      const { version, bytes } = found
      const copied = { ...version.headers, ...headers, checksums: checksums ?? version.headers.checksums }
      return { version: add(target.bucket, { ...version, key: target.key, headers: copied }, bytes), source: version }
    },
    async find(bucket, key, versionId) {
      requireBucket(bucket)
      return locate(bucket, key, versionId)?.version
    },
    async open(bucket, key, versionId) {
      const found = requireBytes({ bucket, key, ...(versionId !== undefined && { versionId }) })
      if (failure !== undefined) throw errors[failure]()
      open += 1
      return openStored(found, () => {
        open -= 1
      })
    },
    async delete(bucket, key, condition) {
      condition?.(locate(bucket, key)?.version)
      const headers = { contentType: '', system: {}, user: {}, checksums: {} }
      return add(bucket, { key, isDeleteMarker: true, contentId: null, size: 0, etag: '', headers }, Buffer.alloc(0))
    },
    list: async (request) => listStored(stored, request),
    async contentTypes() {
      // No S3 operation calls it.
      throw new Error('the storage in memory does not list content types')
    },
  }

  return {
    buckets,
    objects,
    uploads: noUploads,
    versionHistory: createMemoryVersions(stored, objects),
    versions: (bucket, key) => versionsOf(bucket, key).map(({ version }) => version),
    openCount: () => open,
    failWith(next) {
      failure = next
    },
  }
}

async function collect({ body, size = 0 }: PutObject, { sizeBytesMin, sizeBytesMax }: Objects): Promise<Buffer> {
  if (size > sizeBytesMax) throw errors.entity_too_large()
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(Buffer.from(piece))
  const bytes = Buffer.concat(pieces)
  if (bytes.length < sizeBytesMin) throw errors.entity_too_small()
  if (bytes.length > sizeBytesMax) throw errors.entity_too_large()
  return bytes
}

function openStored({ version, bytes }: Stored, onDispose: () => void): OpenedObject {
  return {
    version,
    source: 'cache',
    async *read({ start, end } = { start: 0, end: bytes.length - 1 }) {
      for (let at = start; at <= end; at += pieceBytes) yield bytes.subarray(at, Math.min(at + pieceBytes, end + 1))
    },
    async [Symbol.asyncDispose]() {
      onDispose()
    },
  }
}

function listStored(
  stored: ReadonlyMap<string, Stored[]>,
  { bucket, prefix = '', delimiter = '', after = '', limit }: ListRequest,
): ListPage {
  const entries: ListEntry[] = []
  const commonPrefixes: string[] = []
  let last = ''
  for (const [version, group] of liveInOrder(stored, bucket, { prefix, delimiter })) {
    const name = group ?? version.key
    if ((after !== '' && compareBytes(name, after) <= 0) || name === last) continue
    if (entries.length + commonPrefixes.length === limit) return { entries, commonPrefixes, isTruncated: true, last }
    last = name
    if (group !== undefined) commonPrefixes.push(group)
    else entries.push({ ...version, id: version.contentId ?? 0, lastModifiedMs: version.createdAtMs })
  }
  return { entries, commonPrefixes, isTruncated: false, ...(last && { last }) }
}

function liveInOrder(stored: ReadonlyMap<string, Stored[]>, bucket: string, { prefix, delimiter }: { prefix: string; delimiter: string }) {
  const live: [version: ObjectVersion, group: string | undefined][] = []
  for (const [path, versions] of stored) {
    const current = versions.at(-1)?.version
    if (!path.startsWith(`${bucket}/`) || current === undefined || current.isDeleteMarker || !current.key.startsWith(prefix)) continue
    const at = delimiter === '' ? -1 : current.key.indexOf(delimiter, prefix.length)
    live.push([current, at < 0 ? undefined : current.key.slice(0, at + delimiter.length)])
  }
  return live.sort(([left], [right]) => compareBytes(left.key, right.key))
}

function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}
