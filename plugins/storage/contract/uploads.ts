/** Multipart uploads: parts are staged in the cache until they become an object. */
import { defineService, type Tx } from '#kernel'
import type { BucketRef } from './buckets.ts'
import type { ByteRange, CopyObject, ObjectHeaders, ObjectVersion, PutObject, RecordVersion } from './objects.ts'
import type { DeletionGuard } from './versions.ts'

/** Limits of S3. Every part but the last has at least `partBytesMin`; a part has at most the size of one piece. */
export const uploadLimits = { partNumberMax: 10_000, partBytesMin: 5 * 1024 * 1024 } as const

/** An upload that is neither completed nor aborted. */
export interface Upload {
  /** ULID: sorts by the time of creation. */
  readonly id: string
  readonly bucketId: number
  readonly key: string
  /** Given to the object. */
  readonly headers: Omit<ObjectHeaders, 'checksums'>
  /** Values as given at the creation, such as `crc32c` and `COMPOSITE`. Storage does not interpret them. */
  readonly checksumAlgorithm: string | null
  readonly checksumType: string | null
  /** Owner ID of the creator, as the plugin of the S3 API names users; null for the internal root account. */
  readonly initiator: string | null
  readonly createdAtMs: number
}

/** Base64 by algorithm. */
type Checksums = Readonly<Record<string, string>>

export interface UploadPart {
  readonly partNumber: number
  readonly size: number
  /** MD5 of the bytes in lower-case hex. */
  readonly etag: string
  /** Checksums as returned by `verify`. */
  readonly checksums: Readonly<Record<string, string>>
  readonly createdAtMs: number
}

/** A part of an object that was made by an upload, in the order of the bytes. */
export type CompletedPart = Pick<UploadPart, 'partNumber' | 'size' | 'checksums'>

export interface CreateUpload extends Pick<Upload, 'key' | 'headers' | 'checksumAlgorithm' | 'checksumType' | 'initiator'> {
  readonly bucket: BucketRef
  /** Writes what another plugin keeps about the upload, in the transaction that adds it. */
  readonly record?: (tx: Tx, upload: Upload) => Promise<void>
}

/** Identifies an upload. An id with another bucket or key is not found. */
export interface UploadPlace {
  readonly bucket: BucketRef
  readonly key: string
  readonly uploadId: string
}

export interface PutPart extends UploadPlace, Pick<PutObject, 'body' | 'size' | 'checksum' | 'verify' | 'signal' | 'user'> {
  /** 1..10,000. */
  readonly partNumber: number
}

export interface CopyPart extends UploadPlace, Pick<PutObject, 'verify' | 'signal'>, Pick<CopyObject, 'source' | 'sourceCondition'> {
  readonly partNumber: number
  /** The whole source by default. */
  readonly range?: ByteRange
  /**
   * Sees all bytes, for checksums that `verify` returns. Absent: a cached file that is the whole source is linked, and its bytes are
   * compared with their SHA-256 but not written again.
   */
  readonly through?: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
}

export interface NamedPart {
  readonly partNumber: number
  /** Has no quotes. */
  readonly etag: string
  /** Compared with those of the stored part; checksums that the part does not have are refused. */
  readonly checksums?: Readonly<Record<string, string>>
}

export interface CompleteUpload extends UploadPlace {
  /** Parts in ascending order of their numbers; stored parts that are not listed are dropped. */
  readonly parts: readonly NamedPart[]
  /** Size of the object that the client expects. */
  readonly expectedSize?: number
  /** Smallest size of all parts but the last. Default: `uploadLimits.partBytesMin`. */
  readonly partBytesMin?: number
  /** Called with the upload, also when it is completed and its version is returned again. Throws to refuse. */
  readonly permit?: (upload: Upload) => void
  /** Called with the stored parts in order, before the transaction. Throws to refuse; returns the checksums of the object. */
  readonly verify?: (parts: readonly UploadPart[], upload: Upload) => Checksums | undefined | Promise<Checksums | undefined>
  /** Evaluated on the current version inside the committing transaction; throws to refuse. */
  readonly condition?: (current: ObjectVersion | undefined) => void
  readonly record?: RecordVersion
}

export interface ListUploads {
  readonly bucket: BucketRef
  readonly prefix?: string
  readonly delimiter?: string
  /** Only uploads after this key; with `afterUploadId`, after that upload of the key. */
  readonly afterKey?: string
  readonly afterUploadId?: string
  /** 1..1000 uploads and common prefixes. */
  readonly limit: number
}

/** Open uploads by key in byte order, then by upload id, which is their order of creation. */
export interface UploadPage {
  readonly uploads: readonly Upload[]
  readonly commonPrefixes: readonly string[]
  readonly isTruncated: boolean
  /** Last listed entry: pass it back as `afterKey` and `afterUploadId`. A common prefix has no upload id. */
  readonly last?: { readonly key: string; readonly uploadId?: string }
}

export interface PartPage {
  readonly upload: Upload
  readonly parts: readonly UploadPart[]
  readonly isTruncated: boolean
}

/**
 * Uploads in parts. The bytes of parts count as used bytes of the cache until the upload is completed or aborted. Errors (SvcError
 * codes): `bucket_not_found` 404, `upload_not_found` 404 (unknown, aborted, completed, or of another key), `invalid_key` 400, and
 * those of single calls.
 */
export interface Uploads {
  create(upload: CreateUpload): Promise<Upload>
  find(place: UploadPlace): Promise<Upload | undefined>
  /**
   * Resolves once the bytes are fsynced and recorded (I-01). A part with the same number is replaced: the one that ends last stays.
   * Errors: `invalid_part_number` 400, `entity_too_large` 413, `incomplete_body` 400, `cache_full` 507, `cache_busy` 503.
   */
  putPart(part: PutPart): Promise<UploadPart>
  /**
   * Puts a part like `putPart`, with bytes of an existing version. Errors, also: `object_not_found`, `version_not_found` 404, `is_delete_marker` 405,
   * `invalid_copy_range` 416 (the range ends after the source), `content_unavailable` 503.
   */
  copyPart(part: CopyPart): Promise<{ readonly part: UploadPart; readonly source: ObjectVersion }>
  list(request: ListUploads): Promise<UploadPage>
  /** Parts in order of their numbers, after `after`; at most `limit`, 1..1000. */
  listParts(request: UploadPlace & { readonly after?: number; readonly limit: number }): Promise<PartPage>
  /**
   * Makes the listed parts the current version of the key in one transaction; no bytes are copied. The ETag of the version is the MD5 of
   * the MD5s of the parts, `-`, and their number. Repeating a completion with the same parts within a day returns the same version, while
   * it exists. Errors: `invalid_part` 400 (unknown part, other ETag or other checksum), `invalid_part_order` 400, `entity_too_small` 400
   * (a part but the last, or the object), `entity_too_large` 413, `upload_size_mismatch` 400, and those of `condition` and `verify`.
   */
  complete(request: CompleteUpload): Promise<ObjectVersion>
  /** Removes the upload and its parts. `condition` is evaluated inside the transaction and throws to refuse. */
  abort(place: UploadPlace & { readonly condition?: (upload: Upload) => void; readonly guard?: DeletionGuard }): Promise<void>
  /** The parts of a version that was made by an upload, in order; empty for another version. Errors: as `Objects.open`. */
  partsOf(version: { readonly bucket: BucketRef; readonly key: string; readonly versionId?: string }): Promise<readonly CompletedPart[]>
  /**
   * Aborts uploads without a new part since `idleSinceMs`, and forgets completed uploads older than a day. Drops parts of failed puts that
   * could not be dropped at once. Returns the number aborted.
   */
  expire(idleSinceMs: number, signal: AbortSignal): Promise<number>
}

export const uploads = defineService<Uploads>('storage.uploads')
