import { defineErrors } from '#kernel'

/** Errors of the admin plugin's endpoints. */
export const adminErrors = defineErrors({
  invalid_bucket_name: { status: 400, message: 'The bucket name is not valid.' },
  owner_unknown: { status: 400, message: 'There is no S3 user with this access key.' },
  s3_user_not_found: { status: 404, message: 'There is no S3 user with this access key.' },
  s3_users_unavailable: {
    status: 409,
    message: 'There are no S3 users: the plugin s3 is disabled. Only __internal_root__ can own a bucket.',
  },
  bucket_deletion_unsupported: { status: 501, message: 'Buckets are not deleted through the Admin API.' },
  restart_unsupervised: {
    status: 409,
    message: 'svc has no supervisor that starts it again. Restart it on its machine, or set admin.supervised if a supervisor restarts it.',
  },
  restart_would_fail: { status: 409, message: 'The service would not start with the saved settings. Correct them first.' },
  settings_invalid: { status: 400, message: 'The settings are not valid.' },
  version_not_found: { status: 404, message: 'There is no such version in this bucket.' },
  bulk_action_not_found: { status: 404, message: 'There is no such bulk action, or it was pruned.' },
  bulk_action_unconfirmed: { status: 400, message: 'Repeat the name of the bucket in the member confirm: the deletion is permanent.' },
  bulk_action_unfinished: { status: 409, message: 'Another bulk action of the bucket runs. Wait for its end, or stop it.' },
  bulk_action_idempotency_conflict: { status: 409, message: 'The client_request_id belongs to another bulk action.' },
  object_is_delete_marker: { status: 409, message: 'The version is a delete marker: it has no bytes.' },
  preview_unavailable: { status: 415, message: 'There is no preview of this type or size. Download the object.' },
  range_unsatisfiable: { status: 416, message: 'The range begins behind the end of the object.' },
  archive_empty: { status: 404, message: 'There are no objects to download.' },
  archive_too_large: { status: 413, message: 'One archive has at most 10,000 objects. Choose fewer, or use an S3 client.' },
  archive_not_found: {
    status: 404,
    message: 'The archive was downloaded already, or was prepared more than a minute ago. Prepare it again.',
  },
  archives_busy: { status: 429, message: 'Four archives are being downloaded. Try again when one has ended.' },
  cache_full: { status: 507, message: 'The cache has no space for the object.' },
})
