/** Objects by bucket and key. */
import { defineEvent, defineExtensionPoint, defineService, type Tx } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'
import type { ChecksumAlgorithm } from '../checksums/checksums.ts'
import type { BucketRef } from './buckets.ts'

export interface SizeLimits {
  readonly bytesMin: number
  readonly bytesMax: number
}

/** Default limits of objects, which are those of one piece: from 127 bytes to 1 GiB minus the Fr32 padding of 1/128. */
export const objectSizes = { bytesMin: 127, bytesMax: 1_065_353_216 } as const satisfies SizeLimits

/** Programs that fail with the default limits, because they store smaller objects. */
export const smallObjectClients = 'kopia, pgBackRest, s3fs and duplicity'

/** The widest limits that can be chosen. The largest is 5 TiB, as in Amazon S3. */
export const widestObjectSizes = { bytesMin: 0, bytesMax: 5_497_558_138_880 } as const satisfies SizeLimits

/** Chooses the sizes of objects that are accepted. Without a contribution the default limits apply; the first contribution is used. */
export interface ObjectSizeChoice<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  read(services: Resolved<U>): SizeLimits
}

export const objectSizeChoices = defineExtensionPoint<ObjectSizeChoice>('storage.object-size-choices')

export const defineObjectSizeChoice = <const U extends Uses>(choice: ObjectSizeChoice<U>): ObjectSizeChoice => choice

/** Objects or versions of a bucket were added, deleted or restored. At most once a second for each bucket. */
export const objectsUpdated = defineEvent<{ readonly bucket_name: string }>('objects_updated')

/** Longest object key in bytes of UTF-8. */
export const keyBytesMax = 1024

/** Headers that the client sets and gets back with the object. Values are kept byte for byte (latin1 code units). */
export interface ObjectHeaders {
  readonly contentType: string
  /** Lower-case names of system headers such as cache-control, content-disposition, content-encoding, content-language, expires. */
  readonly system: Readonly<Record<string, string>>
  /** Names without `x-amz-meta-`, lower-case. */
  readonly user: Readonly<Record<string, string>>
  /** Values such as `{ crc32: 'base64' }`: sent by the client and verified, or computed. */
  readonly checksums: Readonly<Record<string, string>>
  /** Labels by name, which can be changed later (`Versions.setTags`). Absent: none. */
  readonly tags?: Readonly<Record<string, string>>
}

/** What is computed of a body, in lower-case hex. */
export interface BodyDigests {
  readonly size: number
  readonly md5: string
  readonly sha256: string
  /** Checksum of the algorithm that was asked for. */
  readonly checksum?: string
}

/** Bodies of this many bytes and more are copied once, so that a sender can use its memory again. */
export const lentBytesMin = 64 * 1024 + 1

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

/** Writes what another plugin keeps about a new version, in the transaction that adds it. */
export type RecordVersion = (tx: Tx, version: ObjectVersion) => Promise<void>

export interface PutObject {
  readonly bucket: BucketRef
  readonly key: string
  /** A body of unknown size or of at least `lentBytesMin` may use the memory of a chunk again when the next one is requested. */
  readonly body: AsyncIterable<Uint8Array>
  /** Declared length in bytes, if the client sent it: cache space is reserved before the body is read. */
  readonly size?: number
  readonly headers: Omit<ObjectHeaders, 'checksums'>
  /** Computed together with the other digests, off the main thread if the body is large. */
  readonly checksum?: ChecksumAlgorithm
  /** Called after the last byte and before the object becomes visible. Throws to refuse the object; returns the checksums to store. */
  readonly verify?: (digests: BodyDigests) => Readonly<Record<string, string>> | undefined
  /** Evaluated on the current version inside the committing transaction; throws to refuse (a lost race with another writer). */
  readonly condition?: (current: ObjectVersion | undefined) => void
  readonly record?: RecordVersion
  readonly signal?: AbortSignal
  /** The whole body, when it is in memory already; `body` is then not read. Asked at most once, for small bodies. */
  readonly arrived?: () => Uint8Array | undefined
  /** Who sends the body. Several unfinished bodies of one user hold at most half of the room in the cache. */
  readonly user?: string
}

/** A copy within the gateway. */
export interface CopyObject {
  readonly source: { readonly bucket: BucketRef; readonly key: string; readonly versionId?: string }
  readonly target: { readonly bucket: BucketRef; readonly key: string }
  /** Absent: those of the source. */
  readonly headers?: Omit<ObjectHeaders, 'checksums'>
  /** Checksums to store, of the bytes of the source. Absent: those of the source. */
  readonly checksums?: Readonly<Record<string, string>>
  /** Evaluated on the version that is copied; throws to refuse. */
  readonly sourceCondition?: (source: ObjectVersion) => void
  /** Evaluated on the current version of the target inside the committing transaction; throws to refuse. */
  readonly condition?: (current: ObjectVersion | undefined) => void
  readonly record?: RecordVersion
  readonly signal?: AbortSignal
}

export interface OpenedObject extends AsyncDisposable {
  readonly version: ObjectVersion
  /** Where the bytes come from. */
  readonly source: 'cache' | 'provider'
  /**
   * Bytes [start, end] inclusive, the whole object by default. Call at most once. A cache read continues when the bytes are evicted
   * meanwhile. Disposing ends the read and closes the file.
   */
  read(range?: ByteRange, options?: ReadOptions): AsyncIterable<Uint8Array>
  /**
   * The source compares every byte with what is recorded of the content before it returns it. Contents without a recorded SHA-256, which
   * are uploads in several parts, fill the cache only from such a source.
   */
  readonly isProved?: boolean
  /** The whole object, verified, when it is in memory already: neither `read` nor disposal is then needed. */
  readonly bytes?: Uint8Array
}

export interface ReadOptions {
  /**
   * Each block is valid only until the next is requested or the read ends: its memory is used again. A fast read of many bytes needs it.
   * Default: the caller keeps the blocks.
   */
  readonly lends?: boolean
  /** Reads of other ranges of the content are likely to follow: a source may keep what it fetched for a while. */
  readonly expectsMore?: boolean
}

export interface ListRequest {
  readonly bucket: BucketRef
  readonly prefix?: string
  readonly delimiter?: string
  /** Only keys and common prefixes after this one, in UTF-8 byte order. */
  readonly after?: string
  /** 1..1000 entries. */
  readonly limit: number
}

/** What a listing of S3 shows. */
export interface ListedKey {
  readonly key: string
  /** Only if it was asked for. */
  readonly versionId?: string
  readonly size: number
  readonly etag: string
  /** Algorithm of its checksum, such as `crc32`, with `-` behind it for a composite one; null: it has none. */
  readonly checksum: string | null
  readonly lastModifiedMs: number
}

export interface ListEntry extends Omit<ListedKey, 'checksum'> {
  /** Number of the object, kept while it is current. */
  readonly id: number
  readonly versionId: string
  readonly contentId: number | null
}

/** Entries and common prefixes share the limit and are both in byte order. */
export interface ListPage<Entry = ListEntry> {
  readonly entries: readonly Entry[]
  readonly commonPrefixes: readonly string[]
  readonly isTruncated: boolean
  /** The last key or common prefix returned: pass it back as `after`. */
  readonly last?: string
}

/** Both ends inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Errors: those of the source as in `Objects.open`, those of the target as in `Objects.put`. */
interface Copies {
  /**
   * Makes the bytes of an existing version the current version of a key. Within a bucket the new version refers to the same content. To
   * another bucket cached files are linked, and bytes that are not cached are read like an upload. In each case the version has the ETag
   * and the parts of the source.
   */
  copy(request: CopyObject): Promise<{ readonly version: ObjectVersion; readonly source: ObjectVersion }>
}

/**
 * Objects by bucket name and key. Errors (SvcError codes): `bucket_not_found` 404, `object_not_found` 404, `version_not_found` 404,
 * `is_delete_marker` 405, `invalid_key` 400, `entity_too_small` 400, `entity_too_large` 413, `incomplete_body` 400, `cache_full` 507,
 * `cache_busy` 503 (eviction is running), `content_unavailable` 503.
 */
export interface Objects extends Copies {
  /** Resolves once the bytes are fsynced under their final name and the metadata is committed durably (I-01). */
  put(request: PutObject): Promise<ObjectVersion>
  /** One point lookup in committed rows. A delete marker is returned as a version with `isDeleteMarker`. */
  find(bucket: BucketRef, key: string, versionId?: string): Promise<ObjectVersion | undefined>
  /** Throws `object_not_found`, `version_not_found` or `is_delete_marker`. */
  open(bucket: BucketRef, key: string, versionId?: string): Promise<OpenedObject>
  /** Always creates a delete marker, as versioned S3 buckets do, even for a key that never existed. */
  delete(bucket: BucketRef, key: string, condition?: (current: ObjectVersion | undefined) => void): Promise<ObjectVersion>
  list(request: ListRequest): Promise<ListPage>
  /** Lists like `list`, with what S3 shows: reading the ids would take a third of the time. */
  listKeys(request: ListRequest & { readonly withVersionIds?: boolean }): Promise<ListPage<ListedKey>>
  /** Content types by version id. Deleted versions are absent. */
  contentTypes(versionIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  readonly sizeBytesMin: number
  readonly sizeBytesMax: number
}

export const objects = defineService<Objects>('storage.objects')
