/** Addresses of the buckets. Ids of the chain are decimal texts, times RFC 3339 in UTC. */

import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

export const bucketPath = type({ name: 'string' })
const copies = type('1 <= number.integer <= 8')

const bucketPolicy = {
  id: 'number.integer',
  name: 'string',
  /** `__internal_root__`: the account of the service itself. */
  owner_access_key: 'string | null',
  default_copies: copies,
  minimum_durable_copies: copies,
  status: "'active'",
} as const

const bucketUse = {
  object_count: 'number.integer',
  total_size_bytes: 'number.integer',
  created_at: 'string',
} as const

/** What a change of a bucket answers with. */
export const bucketChange = type(bucketPolicy)
export const bucketItem = type({ ...bucketPolicy, ...bucketUse })

/** What is known of a provider. */
export const providerIdentity = type({ registry_provider_id: 'string', 'service_url?': 'string' })

/** A generation of a replica slot. */
export const dataSet = type({
  id: 'number.integer',
  bucket_id: 'number.integer',
  bucket_name: 'string',
  copy_index: 'number.integer',
  generation: 'number.integer',
  is_current: 'boolean',
  replaceable: 'boolean',
  provider_id: 'string',
  provider_identity: providerIdentity,
  'data_set_id?': 'string',
  'client_data_set_id?': 'string',
  status: "'pending' | 'creating' | 'ready' | 'failed' | 'unavailable' | 'draining' | 'retired'",
  committed_copies: 'number.integer',
  readable_copies: 'number.integer',
  physical_bytes: 'number.integer',
  created_at: 'string',
  updated_at: 'string',
})

export const bucketDetail = type({
  ...bucketPolicy,
  ...bucketUse,
  updated_at: 'string',
  versioning_status: "'Enabled'",
  versioning_enforced: 'true',
  data_sets: dataSet.array(),
  /** Newest first, at most 50. */
  replacements: type('object').array(),
})

export const listBuckets = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets',
  summary: 'Every bucket, in order of name',
  answer: bucketItem.array(),
})

export const createBucket = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets',
  summary: 'Create a bucket; without a number of copies it takes the configured one',
  audit: ['name', 'owner_access_key', 'default_copies', 'minimum_durable_copies'],
  body: type({
    name: 'string',
    owner_access_key: 'string > 0',
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
  summary: 'One bucket with its data sets and replacements',
  params: bucketPath,
  answer: bucketDetail,
  refusals: ['invalid_bucket_name', 'bucket_not_found'],
})

export const changeOwner = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/owner',
  summary: 'Give a bucket to another S3 user, or to __internal_root__',
  audit: ['owner_access_key'],
  params: bucketPath,
  body: type({ owner_access_key: 'string > 0' }),
  answer: bucketChange,
  refusals: ['invalid_bucket_name', 'bucket_not_found', 's3_user_not_found', 's3_users_unavailable'],
})

export const changeCopyPolicy = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/buckets/:name/copy-policy',
  summary: 'Raise the number of copies of later uploads, or change how many of them let cached bytes go',
  audit: ['default_copies', 'minimum_durable_copies'],
  params: bucketPath,
  // Whole numbers from 1 to 8, or null; anything else is refused with a code of its own.
  body: type({ 'default_copies?': 'unknown', 'minimum_durable_copies?': 'unknown' }),
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
  summary: 'Never done: answers 501',
  params: bucketPath,
  status: 501,
  refusals: ['bucket_deletion_unsupported'],
})

export type BucketChange = typeof bucketChange.infer
export type BucketItem = typeof bucketItem.infer
export type BucketDetail = typeof bucketDetail.infer
export type CreateBucket = typeof createBucket.body.infer
export type DataSet = typeof dataSet.infer
export type ProviderIdentity = typeof providerIdentity.infer
