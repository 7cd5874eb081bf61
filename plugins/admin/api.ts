/** What the admin plugin's addresses take and answer. Times are RFC 3339 texts in UTC, sizes are bytes, ids of the chain are decimal texts. */
import { type } from 'arktype'
import { defineEndpoint } from '#kernel'

export const systemInfo = defineEndpoint({
  method: 'GET',
  path: '/api/v1/system/info',
  summary: 'Version, mode and plugins of the running service',
  answer: type({
    version: 'string',
    commit: 'string',
    build_date: 'string',
    uptime_seconds: 'number.integer',
    started_at: 'string',
    mode: "'setup' | 'full'",
    plugins: type({ id: 'string', enabled: 'boolean' }).array(),
  }),
})

export const systemPlugins = defineEndpoint({
  method: 'GET',
  path: '/api/v1/system/plugins',
  summary: 'Every plugin: whether it is on, what it requires, what it provides and how long its start took',
  answer: type({
    id: 'string',
    enabled: 'boolean',
    requires: 'string[]',
    services: 'string[]',
    start_ms: 'number',
  }).array(),
})

export const workers = defineEndpoint({
  method: 'GET',
  path: '/api/v1/workers',
  summary: 'Health of the background work: true where it makes progress',
  answer: type({ workers: 'Record<string, boolean>' }),
})

export const cacheStats = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cache/stats',
  summary: 'How full the local cache is',
  answer: type({
    used_bytes: 'number.integer',
    max_bytes: 'number.integer',
    reserved_bytes: 'number.integer',
    eviction_policy: "'lru' | 'after_upload' | 'none'",
  }),
})

const bucketPath = type({ name: 'string' })
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
  body: type({
    name: 'string',
    owner_access_key: 'string > 0',
    'default_copies?': copies.or('null'),
    'minimum_durable_copies?': copies.or('null'),
  }),
  answer: bucketChange,
  status: 201,
  refusals: ['invalid_bucket_name', 'copy_policy_invalid', 'owner_unknown', 's3_users_unavailable', 'bucket_exists'],
})

export const showBucket = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name',
  summary: 'One bucket with its data sets and replacements',
  params: bucketPath,
  answer: bucketDetail,
  refusals: ['invalid_bucket_name', 'bucket_not_found'],
})

export const objectState = type("'cached' | 'uploading' | 'committing' | 'replicating' | 'stored' | 'failed'")
export const objectStatus = type("'uploading' | 'syncing' | 'success' | 'warning' | 'unavailable'")

/** The upload to the first provider while it is under way. */
export const uploadProgress = type({
  scope: "'ingress_store'",
  uploaded_bytes: 'number.integer',
  total_bytes: 'number.integer',
  percent: 'number.integer',
  done: 'boolean',
})

export const objectItem = type({
  key: 'string',
  current_version_id: 'string',
  size: 'number.integer',
  state: objectState,
  status: objectStatus,
  /** Where the bytes are. */
  location: { cache: 'boolean', chain: 'boolean' },
  content_type: 'string',
  etag: 'string',
  'piece_cid?': 'string',
  created_at: 'string',
  updated_at: 'string',
})

export const listObjects = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects',
  summary: 'Current objects of a bucket, by folders when the delimiter is "/"',
  params: bucketPath,
  query: type({
    'prefix?': 'string',
    'delimiter?': "'' | '/'",
    /** The `next_marker` of the page before. */
    'after?': 'string',
    /** 1 to 1000; anything else counts as the default of 50. */
    'limit?': 'string',
  }),
  answer: type({
    folders: type({ name: 'string', prefix: 'string' }).array(),
    objects: objectItem.array(),
    has_more: 'boolean',
    'next_marker?': 'string',
  }),
  refusals: ['invalid_bucket_name', 'bucket_not_found'],
})

const healthStatus = type("'available' | 'degraded' | 'unavailable' | 'unknown'")
const health = {
  status: healthStatus,
  reason_codes: 'string[]',
  stale: 'boolean',
} as const

export const copy = type({
  copy_index: 'number.integer',
  status: "'pending' | 'piece_ready' | 'committing' | 'committed' | 'failed'",
  health: { ...health, 'last_error?': 'string' },
  'provider_id?': 'string',
  'provider_identity?': providerIdentity,
  'data_set_id?': 'string',
  'piece_id?': 'string',
  transfer_method: "'ingress' | 'peer_pull'",
  'retrieval_url?': 'string',
  is_new_data_set: 'boolean',
})

const versionQuery = type({ version_id: 'string > 0' })
const versionRefusals = ['invalid_bucket_name', 'bucket_not_found', 'version_not_found'] as const

const versionState = {
  version_id: 'string',
  state: objectState,
  status: objectStatus,
  'progress?': uploadProgress,
  updated_at: 'string',
} as const

export const objectProvenance = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/provenance',
  summary: 'Where the copies of one version are',
  params: bucketPath,
  query: versionQuery,
  answer: type({
    ...versionState,
    'piece_cid?': 'string',
    requested_copies: 'number.integer',
    success_copies: 'number.integer',
    copy_health: {
      ...health,
      total_objects: 'number.integer',
      unhealthy_objects: 'number.integer',
      requested_copies: 'number.integer',
      readable_copies: 'number.integer',
      pending_copies: 'number.integer',
      failed_copies: 'number.integer',
      unknown_copies: 'number.integer',
    },
    copies: copy.array(),
  }),
  refusals: versionRefusals,
})

export const objectStatusDetail = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/status-detail',
  summary: 'How far one version is, and why it is not further',
  params: bucketPath,
  query: versionQuery,
  answer: type({ ...versionState, 'message?': 'string' }),
  refusals: versionRefusals,
})

export type SystemInfo = typeof systemInfo.answer.infer
export type SystemPlugins = typeof systemPlugins.answer.infer
export type Workers = typeof workers.answer.infer
export type CacheStats = typeof cacheStats.answer.infer
export type BucketChange = typeof bucketChange.infer
export type BucketItem = typeof bucketItem.infer
export type BucketDetail = typeof bucketDetail.infer
export type CreateBucket = typeof createBucket.body.infer
export type DataSet = typeof dataSet.infer
export type ObjectItem = typeof objectItem.infer
export type ObjectPage = typeof listObjects.answer.infer
export type ObjectState = typeof objectState.infer
export type ObjectStatus = typeof objectStatus.infer
export type UploadProgress = typeof uploadProgress.infer
export type Copy = typeof copy.infer
export type ObjectProvenance = typeof objectProvenance.answer.infer
export type ObjectStatusDetail = typeof objectStatusDetail.answer.infer
