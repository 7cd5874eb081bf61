/** What other plugins may use of the S3 API: its users, and who may use which bucket without being one. */
import { defineService } from '#kernel'
import type { Bucket } from '#plugins/storage'

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
