import { defineErrors } from '#kernel'

/** Errors of the storage plugin. Callers map the codes; they never parse the messages. */
export const storageErrors = defineErrors({
  invalid_bucket_name: { status: 400, message: 'The bucket name is not valid.' },
  copy_policy_invalid: { status: 400, message: 'The number of copies is not valid.' },
  copy_policy_empty: { status: 400, message: 'The copy policy change is empty. Give the number of copies or the minimum.' },
  copy_policy_lowering_unsupported: { status: 400, message: 'The number of copies can only be raised.' },
  copy_policy_minimum_exceeds_target: { status: 400, message: 'The minimum number of durable copies is above the number of copies.' },
  bucket_exists: { status: 409, message: 'A bucket with this name already exists.' },
  bucket_not_empty: { status: 409, message: 'The bucket is not empty. Delete all versions, delete markers and unfinished uploads first.' },
  bucket_not_found: { status: 404, message: 'There is no bucket with this name.' },
  object_not_found: { status: 404, message: 'There is no object with this key.' },
  version_not_found: { status: 404, message: 'This object has no such version.' },
  is_delete_marker: { status: 405, message: 'This version is a delete marker; it has no bytes.' },
  invalid_key: { status: 400, message: 'The object key is not valid.' },
  entity_too_small: { status: 400, message: 'The object is smaller than the smallest allowed size.' },
  entity_too_large: { status: 413, message: 'The object is larger than the largest allowed size.' },
  incomplete_body: { status: 400, message: 'The body does not have the declared length.' },
  cache_full: { status: 507, message: 'The cache is full and no entry can be evicted yet. Try again later.' },
  cache_busy: { status: 503, message: 'The cache is full and eviction is running. Try again soon.' },
  cache_write_failed: { status: 500, message: 'The bytes could not be written to the cache durably.' },
  object_version_already_current: { status: 409, message: 'This version is already the current one.' },
  object_version_changed: { status: 409, message: 'The object has another current version now. List its versions again.' },
  object_version_is_delete_marker: { status: 409, message: 'A delete marker has no bytes to restore.' },
  object_version_not_deletable: { status: 409, message: 'This version cannot be deleted permanently.' },
  object_storage_busy: { status: 409, message: 'The version cannot be deleted while its copies are being stored.' },
  restore_source_unreadable: { status: 500, message: 'The bytes of the version to restore cannot be read now.' },
})
