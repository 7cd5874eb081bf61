import { defineErrors } from '#kernel'

export const userErrors = defineErrors({
  s3_user_not_found: { status: 404, message: 'There is no S3 user with this access key.' },
  s3_user_owns_buckets: { status: 409, message: 'The S3 user owns buckets; change their owner first.' },
  s3_user_internal: { status: 400, message: 'The internal account of the service has no role and no secret key, and cannot be deleted.' },
})
