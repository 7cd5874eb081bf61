/** Public contract of the storage plugin: buckets, objects, versions, placements and cache statistics. */
import { defineEvent, defineExtensionPoint, defineService, type Reader } from '#kernel'

/** Limits of one object, which is one piece: from 127 bytes to 1 GiB minus the Fr32 padding of 1/128. */
export const objectSizes = { bytesMin: 127, bytesMax: 1_065_353_216 } as const

/** Keeps the copy policy it was created with (I-12). */
export interface Bucket {
  readonly id: number
  readonly name: string
  /** Access key of the S3 user that owns it; null for the internal root account. */
  readonly ownerAccessKey: string | null
  /** Replica target, 1..8. */
  readonly defaultCopies: number
  /** Copies that must be committed before the cached bytes may be released, 1..defaultCopies. */
  readonly minimumDurableCopies: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

export interface BucketUsage {
  readonly objectCount: number
  readonly totalSizeBytes: number
}

export interface CreateBucket {
  readonly name: string
  readonly ownerAccessKey: string | null
  /** Absent: the configured values; the minimum then equals the target unless a default minimum is configured. */
  readonly defaultCopies?: number
  readonly minimumDurableCopies?: number
}

/** Absent: unchanged. Null: the target is reset to the configured value, the minimum to the resulting target. */
export interface CopyPolicyChange {
  readonly defaultCopies?: number | null
  readonly minimumDurableCopies?: number | null
}

/** Errors: `bucket_exists` 409, `invalid_bucket_name`, `copy_policy_invalid`, `copy_policy_minimum_exceeds_target` 400, `bucket_not_found` 404. */
export interface Buckets {
  create(request: CreateBucket): Promise<Bucket>
  /** From memory, because every request reads it. */
  find(name: string): Bucket | undefined
  /** Like find, but throws `bucket_not_found`. */
  require(name: string): Bucket
  /** Sorted by name. */
  list(): readonly Bucket[]
  /** Counts of current data versions. */
  usage(bucketId: number): BucketUsage
  setOwner(name: string, ownerAccessKey: string | null): Promise<Bucket>
  /**
   * The target applies to later uploads, the minimum at once to all cached contents. Errors, all 400:
   * `copy_policy_empty`, `copy_policy_invalid`, `copy_policy_lowering_unsupported`, `copy_policy_minimum_exceeds_target`.
   */
  setCopyPolicy(name: string, change: CopyPolicyChange): Promise<Bucket>
  /** Number of buckets the user owns: from memory, or from the rows of `read`, such as an open transaction. */
  countOwnedBy(ownerAccessKey: string, read?: Reader): number
}

export const buckets = defineService<Buckets>('storage.buckets')

/** A bucket was created, or its owner or copy policy changed. */
export const bucketUpdated = defineEvent<{ readonly bucket_name: string }>('bucket_updated')

/** Checks a new bucket owner inside the transaction that sets it, so that the owner cannot be deleted in between. */
export interface BucketOwnerCheck {
  readonly name: string
  /** Throws to refuse. Not called for the internal root account. */
  check(read: Reader, ownerAccessKey: string): void
}

export const bucketOwnerChecks = defineExtensionPoint<BucketOwnerCheck>('storage.bucket-owner-checks')

/** Headers that the client sets and gets back with the object. Values are kept byte for byte (latin1 code units). */
export interface ObjectHeaders {
  readonly contentType: string
  /** Lower-case names of system headers such as cache-control, content-disposition, content-encoding, content-language, expires. */
  readonly system: Readonly<Record<string, string>>
  /** Names without `x-amz-meta-`, lower-case. */
  readonly user: Readonly<Record<string, string>>
  /** Such as `{ crc32: 'base64' }`: sent by the client and verified, or computed. */
  readonly checksums: Readonly<Record<string, string>>
}

export interface ObjectVersion {
  readonly bucketId: number
  readonly key: string
  readonly versionId: string
  readonly isDeleteMarker: boolean
  readonly isCurrent: boolean
  readonly contentId: number | null
  readonly size: number
  /** Bare hex (or `hex-N`), without quotes. Empty for a delete marker. */
  readonly etag: string
  readonly headers: ObjectHeaders
  readonly createdAtMs: number
}

export interface PutObject {
  readonly bucket: string
  readonly key: string
  readonly body: AsyncIterable<Uint8Array>
  /** Declared length in bytes, if the client sent it: cache space is reserved before the body is read. */
  readonly size?: number
  readonly headers: Omit<ObjectHeaders, 'checksums'>
  /**
   * Called after the last byte and before the object becomes visible. Throws to refuse the object; returns the checksums to store.
   * `md5` and `sha256` are lower-case hex.
   */
  readonly verify?: (digests: {
    readonly size: number
    readonly md5: string
    readonly sha256: string
  }) => Readonly<Record<string, string>> | undefined
  /** Evaluated on the current version inside the committing transaction; throws to refuse (a lost race with another writer). */
  readonly condition?: (current: ObjectVersion | undefined) => void
  readonly signal?: AbortSignal
}

export interface OpenedObject extends AsyncDisposable {
  readonly version: ObjectVersion
  /** Where the bytes come from. */
  readonly source: 'cache' | 'provider'
  /**
   * Bytes [start, end] inclusive, the whole object by default. Call at most once. A cache read continues when the file is evicted
   * meanwhile. Disposing ends the read and closes the file.
   */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>
}

export interface ListRequest {
  readonly bucket: string
  readonly prefix?: string
  readonly delimiter?: string
  /** Only keys and common prefixes after this one, in UTF-8 byte order. */
  readonly after?: string
  /** 1..1000 entries. */
  readonly limit: number
}

export interface ListEntry {
  /** Number of the object, kept while it is current. */
  readonly id: number
  readonly key: string
  readonly versionId: string
  readonly contentId: number | null
  readonly size: number
  readonly etag: string
  readonly lastModifiedMs: number
}

/** Entries and common prefixes share the limit and are both in byte order. */
export interface ListPage {
  readonly entries: readonly ListEntry[]
  readonly commonPrefixes: readonly string[]
  readonly isTruncated: boolean
  /** The last key or common prefix returned: pass it back as `after`. */
  readonly last?: string
}

/**
 * Objects by bucket name and key. Errors (SvcError codes): `bucket_not_found` 404, `object_not_found` 404, `version_not_found` 404,
 * `is_delete_marker` 405, `invalid_key` 400, `entity_too_small` 400, `entity_too_large` 413, `incomplete_body` 400, `cache_full` 507,
 * `cache_busy` 503 (eviction is running), `content_unavailable` 503.
 */
export interface Objects {
  /** Resolves once the bytes are fsynced under their final name and the metadata is committed durably (I-01). */
  put(request: PutObject): Promise<ObjectVersion>
  /** One point lookup in committed rows. A delete marker is returned as a version with `isDeleteMarker`. */
  find(bucket: string, key: string, versionId?: string): ObjectVersion | undefined
  /** Throws `object_not_found`, `version_not_found` or `is_delete_marker`. */
  open(bucket: string, key: string, versionId?: string): Promise<OpenedObject>
  /** Always creates a delete marker, as versioned S3 buckets do, even for a key that never existed. */
  delete(bucket: string, key: string, condition?: (current: ObjectVersion | undefined) => void): Promise<ObjectVersion>
  list(request: ListRequest): ListPage
  readonly sizeBytesMin: number
  readonly sizeBytesMax: number
}

export const objects = defineService<Objects>('storage.objects')

/** Identifies a version. */
export interface VersionPlace {
  readonly bucket: string
  readonly key: string
  readonly versionId: string
}

/** Versions of one key, newest first; delete markers are versions. */
export interface KeyHistory {
  readonly versions: readonly ObjectVersion[]
  /** Newest version of the key, set on every page; `restore` compares it. Absent when the key has no versions. */
  readonly currentVersionId?: string
  readonly isTruncated: boolean
}

export interface ListVersionsRequest extends Pick<ListRequest, 'bucket' | 'prefix' | 'delimiter'> {
  /** Only entries after this key; with `versionIdMarker`, after that version of the key. */
  readonly keyMarker?: string
  readonly versionIdMarker?: string
  /** 1..1000 entries. */
  readonly limit: number
}

/** Keys in byte order, each key's versions newest first. Versions and common prefixes share the limit. */
export interface VersionPage {
  readonly versions: readonly ObjectVersion[]
  readonly commonPrefixes: readonly string[]
  readonly isTruncated: boolean
  /** Last listed entry: pass it back as the markers. A common prefix has no version id. */
  readonly last?: { readonly key: string; readonly versionId?: string }
}

/** A key whose current version is a delete marker and that has an older version with bytes. */
interface DeletedObject {
  readonly key: string
  readonly markerVersionId: string
  readonly deletedAtMs: number
  /** The version that a restore makes current. */
  readonly restorable: ObjectVersion
}

/** A version with committed copies on the requested data sets. */
export interface DependentVersion {
  readonly version: ObjectVersion
  /** Local ids of the requested data sets that have a copy. */
  readonly dataSetIds: readonly number[]
  /** Copies that can be read from other data sets. */
  readonly otherReadableCopies: number
}

/** `retained`: another version has the same bytes. `failed`: a task retries the removal. */
export type CacheRelease = 'released' | 'retained' | 'failed'

export interface DeletedVersion {
  readonly versionId: string
  readonly isDeleteMarker: boolean
}

/**
 * Version histories. Contents without references are removed from the cache at once and from the providers by a background task.
 * Errors (SvcError codes): `bucket_not_found` 404, `object_not_found` 404, `version_not_found` 404, `invalid_key` 400.
 */
export interface Versions {
  /** `after`: last version id of the previous page. If it was deleted meanwhile, no version is skipped. */
  ofKey(request: { readonly bucket: string; readonly key: string; readonly after?: string; readonly limit: number }): KeyHistory
  list(request: ListVersionsRequest): VersionPage
  /** Sorted by key; `after`: last key of the previous page. */
  deletedObjects(request: { readonly bucket: string; readonly prefix?: string; readonly after?: string; readonly limit: number }): {
    readonly objects: readonly DeletedObject[]
    readonly isTruncated: boolean
  }
  /** Newest first, of the whole bucket, a prefix, or one key; `after`: last version id of the previous page. */
  deleteMarkers(request: {
    readonly bucket: string
    readonly prefix?: string
    readonly key?: string
    readonly after?: string
    readonly limit: number
  }): { readonly markers: readonly ObjectVersion[]; readonly isTruncated: boolean }
  /** Versions with a committed copy on one of the data sets (local ids), sorted by key, then newest first. */
  onDataSets(request: {
    readonly bucket: string
    readonly dataSetIds: readonly number[]
    readonly prefix?: string
    readonly key?: string
    readonly after?: { readonly key: string; readonly versionId: string }
    readonly limit: number
  }): { readonly versions: readonly DependentVersion[]; readonly isTruncated: boolean }
  /**
   * Removes the delete markers on top of the newest version with bytes and makes that version current; no bytes are copied. The named
   * marker must be the current version, else `object_version_changed` 409. Without a version with bytes: `object_not_found`.
   */
  restoreDeleted(marker: VersionPlace): Promise<ObjectVersion>
  /**
   * Creates a new current version with the bytes of an older one, which is kept. Bytes that are not cached are fetched into the cache.
   * Errors: `object_version_already_current`, `object_version_changed`, `object_version_is_delete_marker` 409, `cache_full` 507,
   * `cache_busy` 503, `restore_source_unreadable` 500.
   */
  restore(source: VersionPlace & { readonly expectedCurrentVersionId: string }): Promise<ObjectVersion>
  /**
   * Removes a version or delete marker, even while its copies are being stored; undefined when it does not exist. The next newest
   * version becomes current. `condition` is evaluated inside the transaction and throws to refuse.
   */
  delete(version: VersionPlace & { readonly condition?: (version: ObjectVersion | undefined) => void }): Promise<DeletedVersion | undefined>
  /**
   * Removes a version with bytes. Errors: `object_storage_busy` 409 while its copies are being stored, `object_version_not_deletable`
   * 409 for a delete marker.
   */
  deletePermanently(version: VersionPlace): Promise<{ readonly cacheRelease: CacheRelease; readonly cleanupTaskIds: readonly number[] }>
  /** Removes every version of a deleted key. Errors as deletePermanently; the named marker must be the current version. */
  deleteObjectPermanently(marker: VersionPlace): Promise<{
    readonly dataVersions: number
    readonly deleteMarkers: number
    readonly failedCacheReleases: number
    readonly cleanupTaskIds: readonly number[]
  }>
}

export const versions = defineService<Versions>('storage.versions')

export type ObjectState = 'cached' | 'uploading' | 'committing' | 'replicating' | 'stored' | 'failed'
export type CopyStatus = 'pending' | 'piece_ready' | 'committing' | 'committed' | 'failed'

export interface CopyRecord {
  readonly copyIndex: number
  readonly status: CopyStatus
  readonly providerId: string | null
  readonly dataSetId: string | null
  readonly pieceId: string | null
  readonly transferMethod: 'ingress' | 'peer_pull'
  readonly retrievalUrl: string | null
  readonly isNewDataSet: boolean
  readonly lastError: string | null
  readonly waitReason: string | null
}

/** A running upload to the first provider. */
export interface UploadRecord {
  /** Starts at 1. */
  readonly attempt: number
  readonly sentBytes: number
  readonly totalBytes: number
  readonly updatedAtMs: number
}

/** Where a version's bytes are, and its replication state. */
export interface Placement {
  readonly state: ObjectState
  readonly isCached: boolean
  readonly pieceCid: string | null
  readonly requestedCopies: number
  readonly copies: readonly CopyRecord[]
  /** Why replication is incomplete, in words for the operator. */
  readonly message: string | null
  readonly updatedAtMs: number
  readonly upload: UploadRecord | null
}

/** State of a content as shown in lists. */
export interface ContentSituation extends Pick<Placement, 'state' | 'isCached' | 'pieceCid' | 'upload'> {
  readonly isOnChain: boolean
}

/** One generation of a replica slot of a bucket. */
export interface DataSetRecord {
  readonly id: number
  readonly bucketId: number
  readonly copyIndex: number
  readonly generation: number
  readonly isCurrent: boolean
  readonly providerId: string
  readonly serviceUrl: string
  readonly dataSetId: string | null
  readonly clientDataSetId: string | null
  readonly status: 'pending' | 'creating' | 'ready' | 'failed' | 'unavailable' | 'draining' | 'retired'
  readonly committedCopies: number
  readonly physicalBytes: number
  /** Versions with a committed copy here, and how many of them are current. */
  readonly referencedVersions: number
  readonly currentVersions: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** Current versions of all buckets. States without versions may be missing. */
export interface ObjectCounts {
  readonly byState: ReadonlyMap<ObjectState, number>
  /** Versions that have not failed, but whose bytes are neither in the cache nor at a provider. */
  readonly unavailable: number
}

/** Reads for operators: copies, data sets and states of contents. */
export interface Placements {
  /** Undefined when the bucket has no such version. A delete marker has no copies. */
  ofVersion(bucketId: number, versionId: string): Placement | undefined
  /** States for a page of versions, by content id; cheaper than `ofVersion`. */
  ofContents(contentIds: readonly number[]): ReadonlyMap<number, ContentSituation>
  dataSetsOf(bucketId: number): readonly DataSetRecord[]
  /** Number of data sets of all buckets by status. A status without any is missing. */
  countDataSets(): ReadonlyMap<DataSetRecord['status'], number>
  /** Versions with a committed copy on one of the data sets. Counting stops at `max`. */
  countVersionsOn(dataSets: readonly DataSetRecord[], max: number): number
  /** May be some seconds old, because counting is slow while many objects are being stored. */
  countObjects(): Promise<ObjectCounts>
}

export const placements = defineService<Placements>('storage.placements')

export interface CacheStats {
  readonly usedBytes: number
  readonly maxBytes: number
  readonly reservedBytes: number
  readonly evictionPolicy: 'lru' | 'after_upload' | 'none'
  /** Only under lru. */
  readonly highWatermarkBytes?: number
  readonly lowWatermarkBytes?: number
  /** True while lru eviction is paused because reads could not be recorded. */
  readonly isEvictionPaused: boolean
}

export interface CacheGauge {
  stats(): CacheStats
}

export const cacheGauge = defineService<CacheGauge>('storage.cache-gauge')
