/** Everything other plugins may know of storage: buckets, objects and where their bytes are. */
import { defineEvent, defineExtensionPoint, defineService, type Reader } from '#kernel'

/** Of one object: one piece of the storage network, from 127 bytes to 1 GiB less the proof's overhead of 1/128. */
export const objectSizes = { bytesMin: 127, bytesMax: 1_065_353_216 } as const

/** A bucket keeps the policy it was created with (I-12). */
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

/** Absent: as it is. Null: the target becomes the configured one, the minimum as many as the resulting target. */
export interface CopyPolicyChange {
  readonly defaultCopies?: number | null
  readonly minimumDurableCopies?: number | null
}

/** Errors: `bucket_exists` 409, `invalid_bucket_name`, `copy_policy_invalid`, `copy_policy_minimum_exceeds_target` 400, `bucket_not_found` 404. */
export interface Buckets {
  create(request: CreateBucket): Promise<Bucket>
  /** From memory: buckets are few and read by every request. */
  find(name: string): Bucket | undefined
  /** Like find, but throws `bucket_not_found`. */
  require(name: string): Bucket
  /** In order of name. */
  list(): readonly Bucket[]
  /** Counts of current data versions. */
  usage(bucketId: number): BucketUsage
  setOwner(name: string, ownerAccessKey: string | null): Promise<Bucket>
  /**
   * The target binds uploads that start later; the minimum counts at once for everything that is cached. Errors, all 400:
   * `copy_policy_empty`, `copy_policy_invalid`, `copy_policy_lowering_unsupported`, `copy_policy_minimum_exceeds_target`.
   */
  setCopyPolicy(name: string, change: CopyPolicyChange): Promise<Bucket>
  /** Buckets owned by the user. From memory; with `read` from its rows, such as those of a transaction under way. */
  countOwnedBy(ownerAccessKey: string, read?: Reader): number
}

export const buckets = defineService<Buckets>('storage.buckets')

/** A bucket was created, or changed its owner or its number of copies. */
export const bucketUpdated = defineEvent<{ readonly bucket_name: string }>('bucket_updated')

/** Whether a bucket may be given to an owner: asked inside the transaction that does it, so that no owner can vanish meanwhile. */
export interface BucketOwnerCheck {
  readonly name: string
  /** Throws to refuse. Never asked for the internal root account. */
  check(read: Reader, ownerAccessKey: string): void
}

export const bucketOwnerChecks = defineExtensionPoint<BucketOwnerCheck>('storage.bucket-owner-checks')

/** What a client said about an object and gets back with it. Values are kept to the byte (latin1 code units). */
export interface ObjectHeaders {
  readonly contentType: string
  /** Lower-case names of system headers such as cache-control, content-disposition, content-encoding, content-language, expires. */
  readonly system: Readonly<Record<string, string>>
  /** Names without `x-amz-meta-`, lower-case. */
  readonly user: Readonly<Record<string, string>>
  /** Such as `{ crc32: 'base64' }`; given by the client and verified, or computed. */
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
  /** Declared length in bytes, where the client said it: room is reserved for it before the body is read. */
  readonly size?: number
  readonly headers: Omit<ObjectHeaders, 'checksums'>
  /**
   * Called when the body has ended and before anything becomes visible. Throws to refuse the object; returns checksums to keep.
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
   * Bytes [start, end] inclusive, the whole object by default. Call at most once. Reading from the cache survives an eviction that
   * happens meanwhile. Disposing ends the read and frees the file.
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
 * `cache_busy` 503 (room is being made), `content_unavailable` 503.
 */
export interface Objects {
  /** Resolves once the bytes are fsynced under their final name and the metadata is committed durably (I-01). */
  put(request: PutObject): Promise<ObjectVersion>
  /** One point look-up, from committed rows. A delete marker is returned as a version with `isDeleteMarker`. */
  find(bucket: string, key: string, versionId?: string): ObjectVersion | undefined
  /** Throws `object_not_found`, `version_not_found` or `is_delete_marker` where there is nothing to read. */
  open(bucket: string, key: string, versionId?: string): Promise<OpenedObject>
  /** Always makes a delete marker, as a versioned S3 bucket does, even for a key that never existed. */
  delete(bucket: string, key: string, condition?: (current: ObjectVersion | undefined) => void): Promise<ObjectVersion>
  list(request: ListRequest): ListPage
  readonly sizeBytesMin: number
  readonly sizeBytesMax: number
}

export const objects = defineService<Objects>('storage.objects')

/** Where a version is: its key and its id. */
export interface VersionPlace {
  readonly bucket: string
  readonly key: string
  readonly versionId: string
}

/** Versions of one key, newest first; delete markers are versions. */
export interface KeyHistory {
  readonly versions: readonly ObjectVersion[]
  /** The newest version of the key, on every page: the token that `restore` compares. Absent when the key has no history. */
  readonly currentVersionId?: string
  readonly isTruncated: boolean
}

export interface ListVersionsRequest extends Pick<ListRequest, 'bucket' | 'prefix' | 'delimiter'> {
  /** Only what comes behind this key; with `versionIdMarker`, behind that version of it. */
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
  /** What was listed last: pass it back as the markers. A common prefix has no version id. */
  readonly last?: { readonly key: string; readonly versionId?: string }
}

/** A key whose current version is a delete marker and that still has bytes to go back to. */
export interface DeletedObject {
  readonly key: string
  readonly markerVersionId: string
  readonly deletedAtMs: number
  /** The version that a restore makes current. */
  readonly restorable: ObjectVersion
}

/** A version with copies on data sets that were asked about. */
export interface DependentVersion {
  readonly version: ObjectVersion
  /** Local ids of those data sets. */
  readonly dataSetIds: readonly number[]
  /** Copies that can be read from other data sets. */
  readonly otherReadableCopies: number
}

/** `retained`: another version has the same bytes. `failed`: a task will try again to remove them. */
export type CacheRelease = 'released' | 'retained' | 'failed'

export interface DeletedVersion {
  readonly versionId: string
  readonly isDeleteMarker: boolean
}

/**
 * Histories of keys. Bytes that no version points at any more leave the cache at once and the providers by a background task.
 * Errors (SvcError codes): `bucket_not_found` 404, `object_not_found` 404, `version_not_found` 404, `invalid_key` 400.
 */
export interface Versions {
  /** `after`: the version id that ended the page before. A marker that was deleted meanwhile skips nothing. */
  ofKey(request: { readonly bucket: string; readonly key: string; readonly after?: string; readonly limit: number }): KeyHistory
  list(request: ListVersionsRequest): VersionPage
  /** In order of key; `after`: the last key of the page before. */
  deletedObjects(request: { readonly bucket: string; readonly prefix?: string; readonly after?: string; readonly limit: number }): {
    readonly objects: readonly DeletedObject[]
    readonly isTruncated: boolean
  }
  /** Newest first, of the whole bucket, a prefix, or one key; `after`: the last version id of the page before. */
  deleteMarkers(request: {
    readonly bucket: string
    readonly prefix?: string
    readonly key?: string
    readonly after?: string
    readonly limit: number
  }): { readonly markers: readonly ObjectVersion[]; readonly isTruncated: boolean }
  /** Versions with a committed copy on one of the data sets (local ids), in order of key and then newest first. */
  onDataSets(request: {
    readonly bucket: string
    readonly dataSetIds: readonly number[]
    readonly prefix?: string
    readonly key?: string
    readonly after?: { readonly key: string; readonly versionId: string }
    readonly limit: number
  }): { readonly versions: readonly DependentVersion[]; readonly isTruncated: boolean }
  /**
   * Removes the delete markers on top of the newest version with bytes and makes that version current; nothing is copied. The named
   * marker must be the current version: else `object_version_changed` 409. Without bytes to go back to: `object_not_found`.
   */
  restoreDeleted(marker: VersionPlace): Promise<ObjectVersion>
  /**
   * Makes a new current version with the bytes of an older one, which stays. Bytes that are not in the cache are fetched into it first.
   * Errors: `object_version_already_current`, `object_version_changed`, `object_version_is_delete_marker` 409, `cache_full` 507,
   * `cache_busy` 503, `restore_source_unreadable` 500.
   */
  restore(source: VersionPlace & { readonly expectedCurrentVersionId: string }): Promise<ObjectVersion>
  /**
   * Removes a version or a delete marker whatever is under way for it; undefined when there is none. The next newest version becomes
   * current. `condition` is evaluated inside the transaction and throws to refuse.
   */
  delete(version: VersionPlace & { readonly condition?: (version: ObjectVersion | undefined) => void }): Promise<DeletedVersion | undefined>
  /**
   * Removes a version with bytes, unless its storage is under way. Errors: `object_storage_busy` 409, `object_version_not_deletable`
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

/** An upload to the first provider that is under way. */
export interface UploadRecord {
  /** 1 for the first. */
  readonly attempt: number
  readonly sentBytes: number
  readonly totalBytes: number
  readonly updatedAtMs: number
}

/** Where one version's bytes are and what is still under way. */
export interface Placement {
  readonly state: ObjectState
  readonly isCached: boolean
  readonly pieceCid: string | null
  readonly requestedCopies: number
  readonly copies: readonly CopyRecord[]
  /** Why it is not further, in words for the operator. */
  readonly message: string | null
  readonly updatedAtMs: number
  readonly upload: UploadRecord | null
}

/** How a content stands, as far as a list shows it. */
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
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** Current versions of all buckets. A state without any may be missing. */
export interface ObjectCounts {
  readonly byState: ReadonlyMap<ObjectState, number>
  /** Versions that have not failed, but whose bytes are neither in the cache nor with a provider. */
  readonly unavailable: number
}

/** Reads for operators: how contents stand with the providers. */
export interface Placements {
  /** Undefined when there is no such version in the bucket. A delete marker has no copies. */
  ofVersion(bucketId: number, versionId: string): Placement | undefined
  /** Cheap states for a page of versions, by content id. */
  ofContents(contentIds: readonly number[]): ReadonlyMap<number, ContentSituation>
  dataSetsOf(bucketId: number): readonly DataSetRecord[]
  /** A count may be some seconds old: where much is under way, counting takes long. */
  countObjects(): Promise<ObjectCounts>
}

export const placements = defineService<Placements>('storage.placements')

export interface CacheStats {
  readonly usedBytes: number
  readonly maxBytes: number
  readonly reservedBytes: number
  readonly evictionPolicy: 'lru' | 'after_upload' | 'none'
  /** Under lru alone. */
  readonly highWatermarkBytes?: number
  readonly lowWatermarkBytes?: number
  /** Nothing is removed under lru now, because reads could not be recorded. */
  readonly isEvictionPaused: boolean
}

export interface CacheGauge {
  stats(): CacheStats
}

export const cacheGauge = defineService<CacheGauge>('storage.cache-gauge')
