/** Input and output of the S3 operations, independent of the HTTP server. */
import type { Bucket, Buckets, Objects, OpenedObject, Uploads, Versions } from '#plugins/storage'
import type { AccessLists } from '../access/access-lists.ts'
import type { Permissions } from '../auth/permissions.ts'
import type { BodyOptions, RequestBody } from '../auth/request-body.ts'
import type { BucketSettings } from '../bucket-settings/bucket-settings.ts'
import type { LifecycleRules, S3User } from '../contract.ts'
import type { StorageLimits } from '../limits/limits.ts'
import type { S3Settings } from '../settings.ts'
import type { Headers } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'

/** `require` asks for one more permission; that of the row of the table was granted. */
export interface S3Request extends Permissions {
  readonly method: string
  readonly query: ReadonlyMap<string, string>
  /** Headers as sent, plus those hoisted into the query of a presigned URL. */
  readonly headers: Headers
  /** Is undefined for an anonymous request. */
  readonly caller: S3User | undefined
  /** Milliseconds UTC. */
  readonly now: number
  /** Fields of an upload form by lower-case name; only for operations that read one. */
  readonly form?: ReadonlyMap<string, string>
  /** Aborts when the connection is closed, also by the server that stops. For work whose end the client alone waits for. */
  readonly clientSignal: () => AbortSignal
  /** Takes memory for a document until the response is written. Throws SlowDown when other requests have taken it. */
  readonly holdMemory: (bytes: number) => void
  /** URL of the bucket or object as requested, without a query. */
  readonly resourceUrl: string
  /** Prepares the body with its checks. Reads nothing until `bytes` is read. */
  openBody(options?: BodyOptions): Promise<RequestBody>
}

export interface NamedBucketRequest extends S3Request {
  /** Name in the URL; the bucket may not exist. */
  readonly bucketName: string
}

export interface BucketRequest extends S3Request {
  readonly bucket: Bucket
}

export interface ObjectRequest extends BucketRequest {
  readonly key: string
}

/** The bytes of a response. The writer of the response disposes `opened`. */
export interface Content {
  readonly opened: OpenedObject
  /** Both ends inclusive; absent for the whole object. */
  readonly range?: { readonly start: number; readonly end: number }
  readonly length: number
}

export interface S3Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** An XML document. */
  readonly body?: string
  readonly content?: Content
}

export interface S3Services {
  readonly buckets: Buckets
  readonly objects: Objects
  readonly uploads: Omit<Uploads, 'expire'>
  readonly versions: Pick<Versions, 'delete' | 'deleteMany' | 'list' | 'setTags'>
  readonly bucketSettings: BucketSettings
  readonly lifecycleRules: Pick<LifecycleRules, 'find' | 'set' | 'remove' | 'hasRules' | 'expiryOf'>
  readonly accessLists: AccessLists
  readonly storageLimits: StorageLimits
  /** The owner ID of the user with this access key or owner ID. */
  readonly findOwnerId: (name: string) => string | undefined
  readonly settings: S3Settings
}

type Run<Request> = (request: Request, services: S3Services) => S3Answer | Promise<S3Answer>

export type Operation =
  | { readonly scope: 'service'; readonly run: Run<S3Request> }
  | { readonly scope: 'bucket-name'; readonly run: Run<NamedBucketRequest> }
  | { readonly scope: 'bucket'; readonly run: Run<BucketRequest> }
  | { readonly scope: 'object'; readonly run: Run<ObjectRequest> }

export function xmlAnswer(body: string, headers: Readonly<Record<string, string>> = {}): S3Answer {
  return { status: 200, headers: { 'content-type': 'application/xml', ...headers }, body }
}

/** For the share of one user in the room of the cache: anonymous requests have one together. */
export const senderOf = ({ caller }: S3Request): string => caller?.accessKey ?? 'anonymous'

/** The bucket with this name, also another one than the request is for. Throws NoSuchBucket. */
export function requireBucket(buckets: Buckets, name: string): Bucket {
  const bucket = buckets.find(name)
  if (bucket === undefined) throw new S3Error('NoSuchBucket', { extras: { BucketName: name } })
  return bucket
}

/** Throws AccessDenied when the header names another owner than that of the bucket, which it names by access key or owner ID. */
export function requireExpectedOwner(expected: string | undefined, bucket: Bucket, { accessLists }: Pick<S3Services, 'accessLists'>): void {
  if (expected === undefined || expected === bucket.ownerAccessKey || expected === accessLists.rulesOf(bucket).owner) return
  throw new S3Error('AccessDenied', { message: 'The bucket does not belong to the expected owner.' })
}
