/** Endpoints of object versions: histories, restores and permanent deletions. */

import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'
import { plainText } from '#kernel/system'
import { bucketPath, bucketRefusals, dataSetPlace, dataSetStatus, someText } from '../buckets/bucket-api.ts'
import { attentionCode, objectKey, objectState, pageLimit, storedObject, transferMs } from './object-api.ts'

const keyRefusals = [...bucketRefusals, 'invalid_key', 'version_not_found'] as const

/** Check `is_delete_marker` first: a delete marker has no bytes, so its state and location mean nothing. */
const objectVersion = type({
  version_id: 'string',
  ...storedObject,
  is_delete_marker: 'boolean',
  is_current: 'boolean',
})

export const listObjectVersions = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/versions',
  summary: 'List the versions and delete markers of a key, newest first',
  params: bucketPath,
  /** `version_marker` is the `next_version_marker` of the page before. */
  query: type({ key: someText, 'version_marker?': someText, ...pageLimit }),
  answer: type({
    versions: objectVersion.array(),
    has_more: 'boolean',
    /** The token that a restore expects; on every page of a key that has versions. */
    'current_version_id?': 'string',
    'next_version_marker?': 'string',
  }),
  refusals: bucketRefusals,
})

export const restoreObjectVersion = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/objects/versions/restore',
  role: 'operator',
  summary: 'Restore an older version as a new current version',
  audit: ['key', 'version_id', 'source_version_id'],
  params: bucketPath,
  body: type({ key: objectKey, version_id: someText, expected_current_version_id: someText }),
  answer: type({ key: 'string', source_version_id: 'string', version_id: 'string' }),
  deadlineMs: transferMs,
  refusals: [
    ...keyRefusals,
    'object_version_already_current',
    'object_version_changed',
    'object_version_is_delete_marker',
    'cache_full',
    'restore_source_unreadable',
  ],
})

export const listDeletedObjects = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/deleted',
  summary: 'List deleted objects that can be restored, in order of key',
  params: bucketPath,
  query: type({ 'prefix?': plainText, 'after?': plainText, ...pageLimit }),
  answer: type({
    objects: type({
      key: 'string',
      delete_marker_version_id: 'string',
      deleted_at: 'string',
      restore_version_id: 'string',
      restore_size: 'number.integer',
      restore_content_type: 'string',
      restore_etag: 'string',
    }).array(),
    has_more: 'boolean',
    'next_marker?': 'string',
  }),
  refusals: bucketRefusals,
})

export const listDeletions = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/objects/deletions',
  summary: 'List the delete markers of a bucket, a prefix or a key, newest first',
  params: bucketPath,
  /** `after` is the `next_marker` of the page before. */
  query: type({ 'prefix?': plainText, 'key?': plainText, 'after?': someText, ...pageLimit }),
  answer: type({
    deletions: type({ key: 'string', version_id: 'string', is_current: 'boolean', deleted_at: 'string' }).array(),
    has_more: 'boolean',
    'next_marker?': 'string',
  }),
  refusals: bucketRefusals,
})

const deletedKey = type({ key: objectKey, delete_marker_version_id: someText })

export const restoreObject = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/objects/restore',
  role: 'operator',
  summary: 'Restore a deleted object by removing its delete markers',
  audit: ['key', 'delete_marker_version_id', 'restored_version_id'],
  params: bucketPath,
  body: deletedKey,
  answer: type({ key: 'string', restored_version_id: 'string' }),
  refusals: [...keyRefusals, 'object_not_found', 'object_version_changed'],
})

/** Bytes that stay in pieces which other objects share. Without a number of days they leave when it pays to replace the pieces. */
const sharedPieces = type({ pack_ids: 'number.integer[]', 'erased_within_days?': 'number.integer' })

export const deleteVersionPermanently = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/objects/permanent-delete',
  role: 'operator',
  summary: 'Delete a version permanently; copies without other references are removed from their providers',
  audit: ['key', 'version_id'],
  params: bucketPath,
  body: type({ key: objectKey, version_id: someText }),
  answer: type({
    key: 'string',
    version_id: 'string',
    /** `retained`: another version has the same bytes. `failed`: a task or the next eviction pass removes the cached bytes. */
    cache_release: "'released' | 'retained' | 'failed'",
    'storage_cleanup_task_id?': 'number.integer',
    'shared_pieces?': sharedPieces,
  }),
  refusals: [...keyRefusals, 'object_storage_busy', 'object_version_not_deletable'],
})

export const deleteObjectPermanently = defineEndpoint({
  method: 'POST',
  path: '/api/v1/buckets/:name/objects/deleted/permanent-delete',
  role: 'operator',
  summary: 'Delete every version of a deleted object permanently',
  audit: ['key', 'delete_marker_version_id', 'data_versions_deleted', 'delete_markers_deleted'],
  params: bucketPath,
  body: deletedKey,
  answer: type({
    key: 'string',
    delete_marker_version_id: 'string',
    data_versions_deleted: 'number.integer',
    delete_markers_deleted: 'number.integer',
    cache_cleanup_failed_count: 'number.integer',
    storage_cleanup_task_ids: 'number.integer[]',
    'shared_pieces?': sharedPieces,
  }),
  refusals: [...keyRefusals, 'object_not_found', 'object_storage_busy', 'object_version_not_deletable'],
})

const rowId = type('string').narrow(documented({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
const time = type('string').narrow(documented({ format: 'date-time' }))

const riskDataSet = type({
  local_data_set_id: 'number.integer',
  ...dataSetPlace,
  local_status: dataSetStatus,
})

export const listAffectedVersions = defineEndpoint({
  method: 'GET',
  path: '/api/v1/buckets/:name/storage-health/affected-versions',
  summary: 'List the versions with copies on data sets that are not known to be healthy',
  params: bucketPath,
  /** The markers are those of the page before: all of them, `stale_before` alone, or none. */
  query: type({
    'prefix?': plainText,
    'key?': plainText,
    'local_data_set_id?': rowId,
    ...pageLimit,
    'key_marker?': someText,
    'version_marker?': someText,
    'created_at_marker?': time,
    'stale_before?': time,
  }),
  answer: type({
    versions: type({
      key: 'string',
      version_id: 'string',
      size: 'number.integer',
      state: objectState,
      'attention_code?': attentionCode,
      is_current: 'boolean',
      in_cache: 'boolean',
      content_type: 'string',
      etag: 'string',
      created_at: 'string',
      updated_at: 'string',
      readable_alternative_count: 'number.integer',
      has_readable_alternative: 'boolean',
      risk_data_sets: riskDataSet.array(),
    }).array(),
    has_more: 'boolean',
    'next_key_marker?': 'string',
    'next_version_marker?': 'string',
    'next_created_at_marker?': 'string',
    stale_before: 'string',
  }),
  refusals: bucketRefusals,
})

export type ObjectVersion = typeof objectVersion.infer
export type ObjectHistory = typeof listObjectVersions.answer.infer
export type RestoredVersion = typeof restoreObjectVersion.answer.infer
export type DeletedObjects = typeof listDeletedObjects.answer.infer
export type DeleteMarkers = typeof listDeletions.answer.infer
export type RestoredObject = typeof restoreObject.answer.infer
export type DeletedVersion = typeof deleteVersionPermanently.answer.infer
export type PurgedObject = typeof deleteObjectPermanently.answer.infer
export type AffectedVersions = typeof listAffectedVersions.answer.infer
