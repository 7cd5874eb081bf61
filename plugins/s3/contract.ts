/** What other plugins may use of the S3 API: its users, who may use which bucket without being one, and the lifecycle rules of buckets. */
import { defineService, type Tx } from '#kernel'
import type { Bucket, ObjectVersion } from '#plugins/storage'

/** `user`: its own buckets; `userplus`: may also create buckets; `admin`: full access to every bucket. */
export const s3Roles = ['user', 'userplus', 'admin'] as const
export type S3Role = (typeof s3Roles)[number]

/** What is limited, for each user and in total. */
export const limitNames = ['buckets', 'objects', 'bytes', 'data_sets_per_day'] as const
export type LimitName = (typeof limitNames)[number]

/** 0: no limit. */
export type Limits = Readonly<Record<LimitName, number>>

export interface S3User {
  /** 22 characters of base64url. */
  readonly accessKey: string
  /** Names the user as an owner and in access control lists: 64 hexadecimal digits. */
  readonly ownerId: string
  readonly role: S3Role
  /** For operators. */
  readonly name?: string | null
  /** Since then every signature of the user is refused; null: enabled. */
  readonly disabledAtMs?: number | null
  /** Time of the latest signature that was verified; null: none is known. */
  readonly usedAtMs?: number | null
  readonly createdAtMs: number
  /** Replace the limits in the settings. */
  readonly ownLimits?: Partial<Limits>
}

/** A user with its new secret key; no other answer contains it. */
export interface CreatedS3User extends S3User {
  /** 43 characters of base64url. */
  readonly secretKey: string
}

/**
 * Users of the S3 API. Reads come from memory, because every S3 request needs one. Changes resolve when they are durable; later requests
 * see them. Errors: `s3_user_not_found` 404, `s3_user_owns_buckets` 409.
 */
export interface S3Users {
  find(accessKey: string): S3User | undefined
  /** Sorted by access key. */
  list(): readonly S3User[]
  create(role: S3Role, name?: string): Promise<CreatedS3User>
  /** Members that are absent stay. A disabled user keeps its buckets and keys; requests with its signature are refused from now on. */
  change(accessKey: string, change: { readonly name?: string | null; readonly isDisabled?: boolean }): Promise<S3User>
  /** Null: that of the settings again. Members that are absent stay. */
  setLimits(accessKey: string, limits: Partial<Readonly<Record<LimitName, number | null>>>): Promise<S3User>
  setRole(accessKey: string, role: S3Role): Promise<S3User>
  /** Signatures with the old secret key are rejected from now on; requests already accepted continue. */
  rotateSecret(accessKey: string): Promise<CreatedS3User>
  /** Rejects a user that owns buckets (`s3_user_owns_buckets`). */
  delete(accessKey: string): Promise<void>
}

export const s3Users = defineService<S3Users>('s3.users')

/** What anonymous callers may do with a bucket: list its keys, read objects, store and delete objects, see or change its access control list. */
export type PublicRight = 'list' | 'read' | 'write' | 'read_acl' | 'write_acl'

/** Access without a signature, as the lists and the settings allow it now. */
export interface PublicAccess {
  /** Returns rights by bucket ID; buckets without public access are absent. `read`: at least one version, by its own list. */
  of(buckets: readonly Bucket[]): Promise<ReadonlyMap<number, readonly PublicRight[]>>
}

export const publicAccess = defineService<PublicAccess>('s3.public-access')

/** A version matches when it has all that the filter names. */
export interface LifecycleFilter {
  /** How the client wrote it, and gets it back: the element Prefix of older clients, Filter, or Filter with And. */
  readonly form: 'prefix' | 'filter' | 'and'
  readonly prefix?: string | undefined
  readonly tags: readonly { readonly key: string; readonly value: string }[]
  /** Bytes; the object must be larger. */
  readonly sizeAbove?: number | undefined
  /** Bytes; the object must be smaller. */
  readonly sizeBelow?: number | undefined
}

export type Expiration =
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'date'; readonly atMs: number }
  /** Delete markers without older versions. */
  | { readonly kind: 'markers' }

export interface LifecycleRule {
  readonly id: string
  readonly isEnabled: boolean
  readonly filter: LifecycleFilter
  readonly expiration?: Expiration | undefined
  /** `newerKept`: this many newer noncurrent versions must exist. */
  readonly noncurrent?: { readonly days: number; readonly newerKept?: number | undefined } | undefined
  readonly abortDays?: number | undefined
}

export interface StoredRules {
  readonly rules: readonly LifecycleRule[]
  /** Changes with the rules. */
  readonly revision: string
  readonly changedAtMs: number
}

/** What the rules of a bucket did at a midnight. */
export interface LifecycleRun {
  /** What had expired until then is deleted. */
  readonly dueMs: number
  readonly startedMs: number
  /** Null: it has not ended. */
  readonly endedMs: number | null
  readonly markersAdded: number
  /** Their bytes are deleted too. */
  readonly versionsDeleted: number
  readonly markersDeleted: number
  readonly uploadsAborted: number
}

export interface LifecycleState {
  /** The latest run; undefined: there was none. */
  readonly run?: LifecycleRun | undefined
  /** Why no rule acts now: time passed while svc was off, or the clock was set ahead; the clock is ahead of that of the database. */
  readonly rest?: { readonly reason: 'unseen_time' | 'clock_ahead'; readonly untilMs?: number } | undefined
}

/** Carries the rules out. Absent while the plugin `lifecycle` is disabled: rules then rest, and new ones are refused. */
export interface LifecycleEngine {
  /** When a current version expires, in days of 24 hours, and by which rule. */
  expiryOf(rules: readonly LifecycleRule[], version: ObjectVersion): { readonly atMs: number; readonly ruleId: string } | undefined
  stateOf(bucketId: number): Promise<LifecycleState>
}

export const lifecycleEngine = defineService<LifecycleEngine>('s3.lifecycle-engine')

export interface LifecycleRules {
  find(bucket: Bucket): Promise<readonly LifecycleRule[] | undefined>
  /** Rules that are stored already keep their time. Throws NotImplemented without an engine, NoSuchBucket when the bucket was deleted. */
  set(bucket: Bucket, rules: readonly LifecycleRule[]): Promise<void>
  remove(bucket: Bucket): Promise<void>
  readonly isCarriedOut: boolean
  /** Answers from memory, because every read of an object asks. */
  hasRules(bucket: Bucket): boolean
  /** Returns undefined for a version that no rule will delete, and without an engine. */
  expiryOf(bucket: Bucket, version: ObjectVersion): Promise<ReturnType<LifecycleEngine['expiryOf']>>
  /** Returns undefined without an engine. */
  stateOf(bucket: Bucket): Promise<LifecycleState | undefined>
  /** Buckets with rules that were not changed after `changedUntilMs`, by id, at most `limit`. */
  bucketsWithRules(page: { readonly afterId: number; readonly changedUntilMs: number; readonly limit: number }): Promise<readonly number[]>
  read(bucketId: number): Promise<StoredRules | undefined>
  /** Keeps changes of the rules waiting until the transaction ends. Returns their revision; undefined: none, or the bucket was deleted. */
  hold(tx: Tx, bucketId: number): Promise<string | undefined>
}

export const lifecycleRules = defineService<LifecycleRules>('s3.lifecycle-rules')
