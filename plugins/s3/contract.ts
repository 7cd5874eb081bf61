/** Everything other plugins may know of the S3 API: who its users are. */
import { defineService } from '#kernel'

/** `user` works in buckets it owns, `userplus` may also create buckets, `admin` may do everything in every bucket. */
export const s3Roles = ['user', 'userplus', 'admin'] as const
export type S3Role = (typeof s3Roles)[number]

export interface S3User {
  /** 22 characters of base64url; also the owner ID of the buckets it owns. */
  readonly accessKey: string
  readonly role: S3Role
  readonly createdAtMs: number
}

/** A user with its new secret, which is shown once and never again. */
export interface CreatedS3User extends S3User {
  /** 43 characters of base64url. */
  readonly secretKey: string
}

/**
 * Users of the S3 API. Reads come from memory: every S3 request asks. Changes resolve once they are durable, and every request that
 * comes after sees them. Errors: `s3_user_not_found` 404, `s3_user_owns_buckets` 409.
 */
export interface S3Users {
  find(accessKey: string): S3User | undefined
  /** In order of access key. */
  list(): readonly S3User[]
  create(role: S3Role): Promise<CreatedS3User>
  setRole(accessKey: string, role: S3Role): Promise<S3User>
  /** Nothing signed with the old secret is accepted any more; requests that were accepted go on. */
  rotateSecret(accessKey: string): Promise<CreatedS3User>
  /** A user that owns buckets stays. */
  delete(accessKey: string): Promise<void>
}

export const s3Users = defineService<S3Users>('s3.users')
