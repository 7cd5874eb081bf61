/** Histories of keys. */
import { defineExtensionPoint, defineService, type Tx } from '#kernel'
import type { BucketRef } from './buckets.ts'
import type { ListRequest, ObjectVersion } from './objects.ts'

export interface VersionPlace {
  readonly bucket: BucketRef
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

/** Its checksum as in `ListedKey`, without a look at its headers. */
export interface ListedVersion extends ObjectVersion {
  readonly checksum: string | null
}

/** Keys in byte order, each key's versions newest first. Versions and common prefixes share the limit. */
export interface VersionPage {
  readonly versions: readonly ListedVersion[]
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

/** Versions after the position `after`, with keys below `high`. */
export interface VersionRange {
  readonly after: { readonly key: string; readonly rseq: number }
  readonly high: string
}

/** `retained`: another version has the same bytes. `failed`: a task retries the removal. */
export type CacheRelease = 'released' | 'retained' | 'failed'

export interface DeletedVersion {
  readonly versionId: string
  readonly isDeleteMarker: boolean
}

interface SharedBytes {
  /** Packs in which bytes that were deleted stay, because other objects share the piece. Absent: none. */
  readonly sharedPackIds?: readonly number[]
}

/** Most items of one `deleteMany`, the limit of S3. */
export const deleteManyMax = 1000

export interface DeleteItem {
  readonly key: string
  /** Absent: a delete marker is added. */
  readonly versionId?: string
  /** Evaluated inside the transaction on the named version, or on the current one; throws to refuse this item only. */
  readonly condition?: (version: ObjectVersion | undefined, newer: NewerVersions) => void
  /** The condition is told about the versions that are newer than the named one; noncurrent ones are counted up to this many. Default: it is not. */
  readonly newerMax?: number
}

/** The versions of a key that are newer than one of them. */
export interface NewerVersions {
  /** Creation of the next newer one; undefined: there is none, or the item has no `newerMax`. */
  readonly nextAtMs: number | undefined
  /** Noncurrent ones with bytes, at most `newerMax`. */
  readonly noncurrent: number
}

/** Runs in the transaction of a deletion before it changes anything. Throws to refuse: the lease of a task was lost, or a rule changed. */
export type DeletionGuard = (tx: Tx) => Promise<void>

export interface DeleteMany {
  readonly bucket: BucketRef
  readonly items: readonly DeleteItem[]
  readonly guard?: DeletionGuard
}

/** `absent`: the named version does not exist. `refused`: `error` was thrown by the condition. */
export type DeleteOutcome =
  | { readonly kind: 'marked'; readonly markerVersionId: string }
  | { readonly kind: 'removed'; readonly isDeleteMarker: boolean }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly error: unknown }

/**
 * Version histories. Contents without references are removed from the cache at once and from the providers by a background task.
 * Errors (SvcError codes): `bucket_not_found` 404, `object_not_found` 404, `version_not_found` 404, `invalid_key` 400.
 */
export interface Versions {
  /** `after`: last version id of the previous page. If it was deleted since, no version is skipped. */
  ofKey(request: { readonly bucket: BucketRef; readonly key: string; readonly after?: string; readonly limit: number }): Promise<KeyHistory>
  list(request: ListVersionsRequest): Promise<VersionPage>
  /** Sorted by key; `after`: last key of the previous page. */
  deletedObjects(request: {
    readonly bucket: BucketRef
    readonly prefix?: string
    readonly after?: string
    readonly limit: number
  }): Promise<{
    readonly objects: readonly DeletedObject[]
    readonly isTruncated: boolean
  }>
  /** Newest first, of the whole bucket, a prefix, or one key; `after`: last version id of the previous page. */
  deleteMarkers(request: {
    readonly bucket: BucketRef
    readonly prefix?: string
    readonly key?: string
    readonly after?: string
    readonly limit: number
  }): Promise<{ readonly markers: readonly ObjectVersion[]; readonly isTruncated: boolean }>
  /** Bounds for statements over the rows of versions, in the order of `list`: keys with the prefix, or one key. */
  rangeOf(request: {
    readonly bucketId: number
    readonly prefix?: string
    readonly key?: string
    readonly after?: { readonly key: string; readonly versionId: string }
  }): Promise<VersionRange>
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
   * Replaces the tags of a version with bytes, of which no new version is made. Errors: `version_not_found`, also for a delete marker.
   */
  setTags(version: VersionPlace & { readonly tags: Readonly<Record<string, string>> }): Promise<void>
  /**
   * Removes a version or delete marker, even while its copies are being stored; undefined when it does not exist. The next newest
   * version becomes current. `condition` is evaluated inside the transaction and throws to refuse.
   */
  delete(version: VersionPlace & { readonly condition?: (version: ObjectVersion | undefined) => void }): Promise<DeletedVersion | undefined>
  /**
   * Performs at most `deleteManyMax` deletions in one transaction, one after another: an item sees the changes of those before it. Returns
   * the outcomes in the order of the items.
   */
  deleteMany(request: DeleteMany): Promise<readonly DeleteOutcome[]>
  /**
   * Removes a version with bytes. Errors: `object_storage_busy` 409 while its copies are being stored, `object_version_not_deletable`
   * 409 for a delete marker.
   */
  deletePermanently(
    version: VersionPlace,
  ): Promise<SharedBytes & { readonly cacheRelease: CacheRelease; readonly cleanupTaskIds: readonly number[] }>
  /** Removes every version of a deleted key. Errors as deletePermanently; the named marker must be the current version. */
  deleteObjectPermanently(marker: VersionPlace): Promise<
    SharedBytes & {
      readonly dataVersions: number
      readonly deleteMarkers: number
      readonly failedCacheReleases: number
      readonly cleanupTaskIds: readonly number[]
    }
  >
}

export const versions = defineService<Versions>('storage.versions')

/** Copies what a plugin keeps about a version, inside the transaction that restores it as a new version. */
export interface VersionCopy {
  readonly name: string
  copied(tx: Tx, fromVersionId: string, toVersionId: string): Promise<void>
}

export const versionCopies = defineExtensionPoint<VersionCopy>('storage.version-copies')
