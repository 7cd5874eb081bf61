/** Endpoints of the objects of a bucket. Keys are in the query or the body, so they may hold any character but NUL. */

import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { plainText } from '#kernel/system'
import { keyBytesMax } from '#plugins/storage'
import { bucketPath, bucketRefusals, healthVerdict, providerIdentity, someText } from '../buckets/bucket-api.ts'

export const objectState = type("'cached' | 'uploading' | 'committing' | 'replicating' | 'stored' | 'failed'")
const objectStatus = type("'uploading' | 'syncing' | 'success' | 'warning' | 'unavailable'")

/** The running upload to the first provider. */
const uploadProgress = type({
  scope: "'ingress_store'",
  attempt: 'number.integer',
  uploaded_bytes: 'number.integer',
  total_bytes: 'number.integer',
  percent: 'number.integer',
  done: 'boolean',
  updated_at: 'string',
})

/**
 * `stuck`: a copy is missing, and no task works on it, whatever the state says. `copies_denied`: a committed copy does not count as durable,
 * because its provider or the chain denies it.
 */
export const attentionCode = "'stuck' | 'copies_denied'"

const copyWork = type("'complete' | 'working' | 'waiting' | 'stuck'")
const copyStatus = type("'pending' | 'piece_ready' | 'committing' | 'committed' | 'failed'")

/**
 * The copies of an object against their target. complete: it has all · working: a task makes the missing ones · waiting: all tasks that make
 * them wait · stuck: copies are missing, and nothing works on them, as after a failure, dismissed or not.
 */
const copyProgress = type({
  work: copyWork,
  target: 'number.integer',
  stored: 'number.integer',
  /** Why its tasks wait, and when the first of them runs again. */
  'wait_reason?': 'string',
  'wait_message?': 'string',
  'wait_until?': 'string',
  slots: type({ copy_index: 'number.integer', status: copyStatus, 'provider_id?': 'string' }).array(),
})

/** The members of an object and of a version. */
export const storedObject = {
  key: 'string',
  size: 'number.integer',
  state: objectState,
  status: objectStatus,
  'attention_code?': attentionCode,
  'progress?': uploadProgress,
  /** Absent for a delete marker, and while the plugin replication is disabled. */
  'copies?': copyProgress,
  /** Where the bytes are. */
  location: { cache: 'boolean', chain: 'boolean' },
  content_type: 'string',
  etag: 'string',
  'piece_cid?': 'string',
  created_at: 'string',
  updated_at: 'string',
} as const

const objectItem = type({
  /** Kept while the object is current; an object that was deleted and restored has another one. */
  id: 'number.integer',
  current_version_id: 'string',
  ...storedObject,
})

/** 1 to 1000; anything else counts as the default of 50. */
export const pageLimit = { 'limit?': 'string' } as const

export const listObjects = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects',
  summary: 'List the current objects of a bucket, by folders when the delimiter is "/"',
  params: bucketPath,
  query: type({
    'prefix?': plainText,
    'delimiter?': "'' | '/'",
    /** Only objects whose copies are so far, of all folders: does not go with a delimiter. */
    'work?': copyWork,
    /** The `next_marker` of the page before. */
    'after?': plainText,
    ...pageLimit,
  }),
  answer: type({
    folders: type({ name: 'string', prefix: 'string' }).array(),
    objects: objectItem.array(),
    has_more: 'boolean',
    'next_marker?': 'string',
    /** Present when a request with `work` read as many keys as one may: the page is short, or empty, and the next one continues. */
    'keys_read?': 'number.integer',
  }),
  refusals: [...bucketRefusals, 'plugin_disabled'],
})

const copy = type({
  copy_index: 'number.integer',
  status: copyStatus,
  health: { ...healthVerdict, 'last_error?': 'string' },
  'provider_id?': 'string',
  'provider_identity?': providerIdentity,
  'data_set_id?': 'string',
  'piece_id?': 'string',
  transfer_method: "'ingress' | 'peer_pull'",
  'retrieval_url?': 'string',
  is_new_data_set: 'boolean',
  /** Reason and start of a storage confirmation that needs an operator. */
  'attention_code?': 'string',
  'attention_at?': 'string',
})

const versionQuery = type({ version_id: someText })
const versionRefusals = [...bucketRefusals, 'version_not_found'] as const

const versionState = {
  version_id: 'string',
  state: objectState,
  status: objectStatus,
  'attention_code?': attentionCode,
  'progress?': uploadProgress,
  updated_at: 'string',
} as const

export const objectProvenance = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/provenance',
  summary: 'Show the copies of a version',
  params: bucketPath,
  query: versionQuery,
  answer: type({
    ...versionState,
    'piece_cid?': 'string',
    /** Its bytes in the pieces, which it shares with other objects. */
    'pack?': { id: 'number.integer', offset: 'number.integer', length: 'number.integer' },
    requested_copies: 'number.integer',
    success_copies: 'number.integer',
    copy_health: {
      ...healthVerdict,
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
  summary: 'Show the storage state of a version, and why its replication is incomplete',
  params: bucketPath,
  query: versionQuery,
  answer: type({ ...versionState, 'message?': 'string' }),
  refusals: versionRefusals,
})

/** The limit is in bytes; the schema can only count characters. */
export const objectKey = type('string > 0').narrow(documented({ maxLength: keyBytesMax, pattern: '^[^\\u0000]*$' }))
const keyQuery = type({ key: objectKey })

export const deleteObject = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/buckets/:name/objects',
  role: 'operator',
  summary: 'Create a delete marker for a key; its versions stay',
  audit: ['key', 'delete_marker_version_id'],
  params: bucketPath,
  query: keyQuery,
  answer: type({ key: 'string', delete_marker_version_id: 'string', deleted_at: 'string' }),
  refusals: [...bucketRefusals, 'invalid_key'],
})

/** Time limit of an upload, and of the restore of a version: objects are large, links and providers slow. */
export const transferMs = 3_600_000

export const uploadObject = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/objects/upload',
  role: 'operator',
  summary: 'Upload the body as an object; the Content-Type becomes that of the object',
  audit: ['key', 'version_id'],
  params: bucketPath,
  query: keyQuery,
  bodyMedia: '*/*',
  answer: type({ key: 'string', version_id: 'string', etag: 'string', size: 'number.integer', content_type: 'string' }),
  deadlineMs: transferMs,
  refusals: [...bucketRefusals, 'invalid_key', 'entity_too_small', 'entity_too_large', 'incomplete_body', 'cache_full'],
})

export const downloadObject = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/download',
  summary: 'Download an object, or one of its versions',
  audit: ['key', 'version_id'],
  params: bucketPath,
  query: type({ key: someText, 'version_id?': someText }),
  // The content type of the object.
  media: '*/*',
  deadlineMs: 'none',
  refusals: [...bucketRefusals, 'object_not_found', 'version_not_found', 'is_delete_marker', 'content_unavailable'],
})

export type ObjectItem = typeof objectItem.infer
export type ObjectPage = typeof listObjects.answer.infer
export type ObjectState = typeof objectState.infer
export type ObjectStatus = typeof objectStatus.infer
export type UploadProgress = typeof uploadProgress.infer
export type Copy = typeof copy.infer
export type ObjectProvenance = typeof objectProvenance.answer.infer
export type ObjectStatusDetail = typeof objectStatusDetail.answer.infer
