/** Buckets and the rules of their owners and copies. */
import { defineEvent, defineExtensionPoint, defineService, type Reader, type Tx } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'

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

/**
 * The bucket that has this name; or this bucket, and no other: `bucket_not_found` once it was deleted, also when its name is that of a new one.
 * For work that was allowed in one bucket.
 */
export type BucketRef = string | Pick<Bucket, 'id' | 'name'>

export interface BucketUsage {
  readonly objectCount: number
  readonly totalSizeBytes: number
}

/** All versions count, and the bytes of each. Unfinished uploads and delete markers do not. */
export interface StoredUsage {
  readonly buckets: number
  readonly versions: number
  readonly bytes: number
}

export interface CreateBucket {
  readonly name: string
  readonly ownerAccessKey: string | null
  /** Absent: the configured values; the minimum then equals the target unless a default minimum is configured. */
  readonly defaultCopies?: number
  readonly minimumDurableCopies?: number
  /** Called inside the transaction that adds the bucket, after it was counted. Throws to refuse. */
  readonly record?: (tx: Tx, bucket: Bucket) => Promise<void>
}

/** Absent: unchanged. Null: the target is reset to the configured value, the minimum to the resulting target. */
export interface CopyPolicyChange {
  readonly defaultCopies?: number | null
  readonly minimumDurableCopies?: number | null
}

/** Errors: `bucket_exists` and `bucket_not_empty` 409, `invalid_bucket_name`, `copy_policy_invalid`, `copy_policy_minimum_exceeds_target` 400, `bucket_not_found` 404. */
export interface Buckets {
  create(request: CreateBucket): Promise<Bucket>
  /** Answers from memory, because every request reads it. */
  find(name: string): Bucket | undefined
  /** Finds like `find`, but throws `bucket_not_found`. */
  require(bucket: BucketRef): Bucket
  /** Sorted by name. */
  list(): readonly Bucket[]
  /** Counts of current data versions, in the order of `bucketIds`. */
  usages(bucketIds: readonly number[]): Promise<readonly BucketUsage[]>
  totalUsage(): Promise<BucketUsage>
  /** What a bucket holds. `read`: as of `storedUsage`. */
  storedIn(bucketId: number, read?: Reader): Promise<Omit<StoredUsage, 'buckets'>>
  /** What the buckets of an owner hold, and all buckets. `read`: such as the open transaction of a change, which is counted in it. */
  storedUsage(ownerAccessKey: string | null, read?: Reader): Promise<{ readonly own: StoredUsage; readonly total: StoredUsage }>
  /** Usage of each S3 user that owns or owned a bucket. */
  storedUsages(): Promise<{ readonly byOwner: ReadonlyMap<string, StoredUsage>; readonly total: StoredUsage }>
  setOwner(name: string, ownerAccessKey: string | null): Promise<Bucket>
  /**
   * The target applies to later uploads, the minimum at once to all cached contents. Errors, all 400:
   * `copy_policy_empty`, `copy_policy_invalid`, `copy_policy_lowering_unsupported`, `copy_policy_minimum_exceeds_target`.
   */
  setCopyPolicy(name: string, change: CopyPolicyChange): Promise<Bucket>
  /**
   * Deletes a bucket without versions and delete markers (`bucket_not_empty`), and aborts its open uploads. Its name is free at once, and a new bucket
   * of that name is another bucket. Copies of its former contents and the services that hold them end in the background.
   */
  delete(bucket: BucketRef): Promise<void>
  /** Number of buckets the user owns: from memory, or from the rows of `read`, such as an open transaction. */
  countOwnedBy(ownerAccessKey: string, read?: Reader): Promise<number>
}

export const buckets = defineService<Buckets>('storage.buckets')

/** A bucket was created or deleted, or its owner, copy policy or data sets changed. */
export const bucketUpdated = defineEvent<{ readonly bucket_name: string }>('bucket_updated')

/** Checks a new bucket owner inside the transaction that sets it, so that the owner cannot be deleted in between. */
export interface BucketOwnerCheck {
  readonly name: string
  /** Throws to refuse. Not called for the internal root account. */
  check(read: Reader, ownerAccessKey: string): Promise<void>
}

export const bucketOwnerChecks = defineExtensionPoint<BucketOwnerCheck>('storage.bucket-owner-checks')

/** Records what a plugin keeps about a new bucket, inside the transaction that adds it. */
interface BucketCreation<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  created(services: Resolved<U>, tx: Tx, bucket: Bucket): Promise<void>
}

export const bucketCreations = defineExtensionPoint<BucketCreation>('storage.bucket-creations')

export const defineBucketCreation = <const U extends Uses>(creation: BucketCreation<U>): BucketCreation => creation

/** Deletes what a plugin keeps about a bucket, inside the transaction that deletes the bucket. What must end first is kept by a `CopyKeeper`. */
export interface BucketDeletion {
  readonly name: string
  deleted(tx: Tx, bucketId: number): Promise<void>
}

export const bucketDeletions = defineExtensionPoint<BucketDeletion>('storage.bucket-deletions')
