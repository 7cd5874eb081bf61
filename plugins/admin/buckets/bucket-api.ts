/** Endpoints of buckets. On-chain ids are decimal text, times RFC 3339 in UTC. */

import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { plainText } from '#kernel/system'

/** Refusals of every endpoint with a bucket in its path. */
export const bucketRefusals = ['invalid_bucket_name', 'bucket_not_found'] as const

export const bucketPath = type({
  name: type('string').narrow(documented({ minLength: 3, maxLength: 63, pattern: '^[a-z0-9][a-z0-9.-]*[a-z0-9]$' })),
})
/** The name of something that is looked up. */
export const someText = plainText.and('string > 0')
const copies = type('1 <= number.integer <= 8')
const copiesOrDefault = type('unknown').narrow(documented({ anyOf: [{ type: 'integer', minimum: 1, maximum: 8 }, { type: 'null' }] }))

/** Stricter than a name in a path: no dot beside a dot or hyphen, no IP address, no reserved prefix or suffix. */
const newName = documented({
  minLength: 3,
  maxLength: 63,
  pattern:
    '^(?!xn--|sthree-|amzn-s3-demo-)(?!\\d+\\.\\d+\\.\\d+\\.\\d+$)(?!.*(?:-s3alias|--ol-s3|\\.mrap|--x-s3|--table-s3)$)[a-z0-9](-*[a-z0-9]|\\.[a-z0-9])*$',
})

const bucketPolicy = {
  id: 'number.integer',
  name: 'string',
  /** `__internal_root__`: the service's own account. */
  owner_access_key: 'string | null',
  /** Name of the S3 user. Absent: it has none, or the plugin s3 is disabled. */
  'owner_name?': 'string',
  default_copies: copies,
  minimum_durable_copies: copies,
  status: "'active'",
} as const

export const healthVerdict = {
  status: "'available' | 'degraded' | 'unavailable' | 'unknown'",
  /** Codes such as `copy_observation_missing`. */
  reason_codes: 'string[]',
  stale: 'boolean',
} as const

const health = {
  ...healthVerdict,
  /** Time of the oldest observation by a plugin, and why one is missing or bad. */
  'last_checked_at?': 'string',
  'last_error?': 'string',
} as const

/** Current objects with fewer copies than their target, by what happens to them. Counts may be some seconds old. */
export const workCounts = { working: 'number.integer', waiting: 'number.integer', stuck: 'number.integer' } as const

const bucketUse = {
  object_count: 'number.integer',
  total_size_bytes: 'number.integer',
  /** Absent while the plugin replication is disabled. */
  'below_target?': workCounts,
  /** Versions are affected while a data set with a copy of them is not known to be healthy. */
  storage_health: {
    ...health,
    abnormal_data_sets: 'number.integer',
    affected_versions_capped: 'number.integer',
    affected_versions_cap: 'number.integer',
    affected_versions_exceeds_cap: 'boolean',
  },
  /** What callers without a signature may do: list keys, read objects, write and delete objects, read and change the access control list. */
  public_access: "('list' | 'read' | 'write' | 'read_acl' | 'write_acl')[]",
  created_at: 'string',
} as const

const bucketChange = type(bucketPolicy)
const bucketItem = type({ ...bucketPolicy, ...bucketUse })

export const providerIdentity = type({ registry_provider_id: 'string', 'service_url?': 'string', 'location?': 'string' })

export const dataSetStatus = "'pending' | 'creating' | 'ready' | 'failed' | 'unavailable' | 'draining' | 'retired'"

/** Where a data set is, and its health. */
export const dataSetPlace = {
  bucket_id: 'number.integer',
  copy_index: 'number.integer',
  provider_id: 'string',
  provider_identity: providerIdentity,
  'data_set_id?': 'string',
  'client_data_set_id?': 'string',
  storage_health: health,
} as const

/** One generation of a replica slot. */
const dataSet = type({
  id: 'number.integer',
  ...dataSetPlace,
  /** Health, and the pieces that the chain counts; the count is absent where it is unknown or too large. */
  storage_health: { ...health, 'active_piece_count?': 'number.integer', 'has_active_pieces?': 'boolean' },
  bucket_name: 'string',
  generation: 'number.integer',
  is_current: 'boolean',
  replaceable: 'boolean',
  status: dataSetStatus,
  committed_copies: 'number.integer',
  readable_copies: 'number.integer',
  physical_bytes: 'number.integer',
  /** Versions with a committed copy here, and how many of them are current. */
  referenced_version_count: 'number.integer',
  current_version_count: 'number.integer',
  /** Why svc chose the provider: the criterion that decided, such as `fast`. Absent when an operator chose it. */
  'chosen_because?': { reason: 'string', detail: 'string' },
  created_at: 'string',
  updated_at: 'string',
})

const bucketDetail = type({
  ...bucketPolicy,
  ...bucketUse,
  updated_at: 'string',
  versioning_status: "'Enabled'",
  versioning_enforced: 'true',
  data_sets: dataSet.array(),
  /** Rate and locked amounts, of the plugin `costs`. */
  'cost?': 'object',
  /** Whether small objects are packed, and those that wait, of the plugin `packs`. */
  'packing?': 'object',
  /** The bulk action that runs. */
  'bulk_action_id?': 'number.integer',
  /** Newest first, at most 50. */
  replacements: type('object').array(),
})

export const listBuckets = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets',
  summary: 'List all buckets in order of name',
  answer: bucketItem.array(),
})

export const createBucket = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets',
  role: 'operator',
  summary: 'Create a bucket; the numbers of copies default to the configured ones',
  audit: ['name', 'owner_access_key', 'default_copies', 'minimum_durable_copies'],
  body: type({
    name: type('string').narrow(newName),
    owner_access_key: someText,
    'default_copies?': copies.or('null'),
    'minimum_durable_copies?': copies.or('null'),
  }),
  answer: bucketChange,
  status: 201,
  refusals: ['invalid_bucket_name', 'copy_policy_minimum_exceeds_target', 'owner_unknown', 's3_users_unavailable', 'bucket_exists'],
})

export const showBucket = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name',
  summary: 'Show a bucket with its data sets and replacements',
  params: bucketPath,
  answer: bucketDetail,
  refusals: bucketRefusals,
})

export const changeOwner = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/owner',
  role: 'operator',
  summary: 'Change the owner of a bucket to another S3 user, or to __internal_root__',
  audit: ['owner_access_key'],
  params: bucketPath,
  body: type({ owner_access_key: someText }),
  answer: bucketChange,
  refusals: [...bucketRefusals, 's3_user_not_found', 's3_users_unavailable'],
})

export const changeCopyPolicy = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/copy-policy',
  role: 'operator',
  summary: 'Raise the copies of later uploads, or change how many copies allow the eviction of cached bytes',
  audit: ['default_copies', 'minimum_durable_copies'],
  params: bucketPath,
  body: type({ 'default_copies?': copiesOrDefault, 'minimum_durable_copies?': copiesOrDefault }).narrow(documented({ minProperties: 1 })),
  answer: bucketChange,
  refusals: [
    'invalid_bucket_name',
    'bucket_not_found',
    'copy_policy_empty',
    'copy_policy_invalid',
    'copy_policy_lowering_unsupported',
    'copy_policy_minimum_exceeds_target',
  ],
})

export const deleteBucket = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/buckets/:name',
  role: 'operator',
  summary: 'Not supported (501)',
  params: bucketPath,
  status: 501,
  refusals: ['bucket_deletion_unsupported'],
})

export type BucketChange = typeof bucketChange.infer
export type BucketItem = typeof bucketItem.infer
export type BucketDetail = typeof bucketDetail.infer
export type ChangeCopyPolicy = typeof changeCopyPolicy.body.infer
export type CreateBucket = typeof createBucket.body.infer
export type DataSet = typeof dataSet.infer
export type ProviderIdentity = typeof providerIdentity.infer
