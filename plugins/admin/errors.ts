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
  settings_invalid: { status: 400, message: 'The settings are not valid.' },
  version_not_found: { status: 404, message: 'There is no such version in this bucket.' },
  cache_full: { status: 507, message: 'The cache has no space for the object.' },
})
