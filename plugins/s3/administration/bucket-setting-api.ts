/** Admin API endpoints of what the S3 API keeps about a bucket. The rules are those of the S3 operations. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

const bucketPath = type({ name: 'string' })
const refusals = ['bucket_not_found', 's3_setting_refused'] as const
const bytesMax = 256 * 1024

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

export const showS3Settings = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/s3-settings',
  summary: 'Show access, CORS rules and tags of a bucket',
  params: bucketPath,
  answer: type({ access, cors_rules: corsRule.array(), tags: tag.array() }),
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

export type ShownAccess = typeof access.infer
export type ShownCorsRule = typeof corsRule.infer
