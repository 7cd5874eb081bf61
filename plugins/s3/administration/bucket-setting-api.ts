/** Admin API endpoints of what the S3 API keeps about a bucket. The rules are those of the S3 operations. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

const bucketPath = type({ name: 'string' })
const refusals = ['bucket_not_found', 's3_setting_refused'] as const
const bytesMax = 256 * 1024
const lifecycleBytesMax = 512 * 1024

const ownership = "'BucketOwnerEnforced' | 'BucketOwnerPreferred' | 'ObjectWriter'"
const text = 'string'

const access = type({
  /** `s3.public_access`: whether any list may be public. */
  is_public_access_on: 'boolean',
  ownership,
  /** False: the ownership makes all lists ineffective. */
  has_lists: 'boolean',
  /** The list of the bucket. The grantee is `owner`, `bucket-owner`, `everyone`, `users` or `id:` with an owner ID. */
  grants: type({ grantee: text, permission: "'READ' | 'WRITE' | 'READ_ACP' | 'WRITE_ACP' | 'FULL_CONTROL'" }).array(),
  block: {
    block_public_acls: 'boolean',
    ignore_public_acls: 'boolean',
    block_public_policy: 'boolean',
    restrict_public_buckets: 'boolean',
  },
})

const corsRule = type({
  'id?': text,
  allowed_origins: 'string[]',
  allowed_methods: 'string[]',
  allowed_headers: 'string[]',
  expose_headers: 'string[]',
  'max_age_seconds?': 'number.integer >= 0',
})
const tag = type({ key: text, value: text })

/** Null: no limit. */
const quotaLimit = type('1 <= number.integer <= 9007199254740991').describe('a whole number from 1 to 2^53 - 1').or('null')
const quota = type({
  /** Object versions, and bytes in all of them, that S3 clients may store in the bucket; the limits of its owner hold too. */
  objects: quotaLimit,
  bytes: quotaLimit,
  usage: { objects: 'number.integer', bytes: 'number.integer' },
})

const lifecycleRule = type({
  /** Absent: svc makes one. */
  'id?': text,
  enabled: 'boolean',
  /** What the rule is about; a version matches when it has all of it. Absent: every version. */
  'prefix?': text,
  'tags?': tag.array(),
  /** Bytes; larger objects. */
  'size_above?': 'number.integer >= 0',
  /** Bytes; smaller objects. */
  'size_below?': 'number.integer > 0',
  /** Days after its creation after which a current version gets a delete marker, and after which a lone delete marker is removed. */
  'expire_days?': 'number.integer > 0',
  /** Midnight UTC from which on current versions get a delete marker. */
  'expire_date?': /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  /** Removes delete markers without older versions. */
  'remove_expired_markers?': 'true',
  /** Days after which a version that is not current any more is deleted permanently. */
  'noncurrent_days?': 'number.integer > 0',
  /** This many newer noncurrent versions must exist. */
  'newer_noncurrent_kept?': 'number.integer > 0',
  /** Days after its creation after which an open upload is aborted. */
  'abort_upload_days?': 'number.integer > 0',
})

/** What the rules did at the latest midnight at which they acted; null: they have not acted yet. */
const lifecycleRun = type({
  /** The midnight. */
  due_at: text,
  started_at: text,
  /** Null: it has not ended. */
  ended_at: 'string | null',
  markers_added: 'number.integer',
  /** Permanently, with their bytes. */
  versions_deleted: 'number.integer',
  markers_deleted: 'number.integer',
  uploads_aborted: 'number.integer',
})

/** Why no rule acts now: `unseen_time` passed while svc was off, or its clock was set ahead; or its clock is ahead of that of the database. */
const lifecycleRest = type({
  reason: "'unseen_time' | 'clock_ahead'",
  /** Null: until the clocks agree. */
  until: 'string | null',
})

export const showS3Settings = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/s3-settings',
  summary: 'Show access, CORS rules, tags, lifecycle rules and the quota of a bucket',
  params: bucketPath,
  answer: type({
    access,
    cors_rules: corsRule.array(),
    tags: tag.array(),
    lifecycle_rules: lifecycleRule.array(),
    /** False: the plugin `lifecycle` is disabled, and the rules rest. */
    lifecycle_is_on: 'boolean',
    lifecycle_run: lifecycleRun.or('null'),
    lifecycle_rest: lifecycleRest.or('null'),
    quota,
  }),
  refusals: ['bucket_not_found'],
})

export const changeAccess = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/s3-settings/access',
  role: 'operator',
  summary: 'Change the list, the public access block or the object ownership of a bucket',
  audit: ['list', 'block_public_access', 'ownership'],
  params: bucketPath,
  body: type({
    'list?': "'private' | 'public-read' | 'public-read-write' | 'authenticated-read'",
    /** All four members of the public access block: public lists of the bucket and of its objects are refused and ignored. */
    'block_public_access?': 'boolean',
    'ownership?': ownership,
  })
    .narrow(documented({ minProperties: 1 }))
    .narrow((changes, context) => Object.keys(changes).length > 0 || context.mustBe('an object with at least one change')),
  answer: access,
  refusals,
})

export const changeCors = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/s3-settings/cors',
  role: 'operator',
  summary: 'Replace the CORS rules of a bucket; no rule deletes them',
  audit: [],
  params: bucketPath,
  body: type({ rules: corsRule.array() }),
  bytesMax,
  answer: type({ rules: corsRule.array() }),
  refusals,
})

export const changeTags = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/s3-settings/tags',
  role: 'operator',
  summary: 'Replace the tags of a bucket; no tag deletes them',
  audit: [],
  params: bucketPath,
  body: type({ tags: tag.array() }),
  bytesMax,
  answer: type({ tags: tag.array() }),
  refusals,
})

export const changeLifecycle = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/s3-settings/lifecycle',
  role: 'operator',
  summary: 'Replace the lifecycle rules of a bucket, which act from the next midnight UTC on; no rule deletes them',
  audit: [],
  params: bucketPath,
  body: type({ rules: lifecycleRule.array() }),
  bytesMax: lifecycleBytesMax,
  answer: type({ rules: lifecycleRule.array() }),
  refusals,
})

export const changeQuota = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/s3-settings/quota',
  role: 'operator',
  summary: 'Limit what S3 clients may store in a bucket; null: no limit, absent: unchanged',
  audit: ['objects', 'bytes'],
  params: bucketPath,
  body: type({ 'objects?': quotaLimit, 'bytes?': quotaLimit })
    .narrow(documented({ minProperties: 1 }))
    .narrow((changes, context) => Object.keys(changes).length > 0 || context.mustBe('an object with at least one limit')),
  answer: quota,
  refusals,
})

export type ShownLifecycle = Pick<typeof showS3Settings.answer.infer, 'lifecycle_is_on' | 'lifecycle_run' | 'lifecycle_rest'>
export type ShownQuota = typeof quota.infer
export type ShownLifecycleRule = typeof lifecycleRule.infer
export type ShownAccess = typeof access.infer
export type ShownCorsRule = typeof corsRule.infer
