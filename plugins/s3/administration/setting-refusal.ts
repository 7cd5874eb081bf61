import { defineErrors } from '#kernel'
import { S3Error } from '../wire/s3-error.ts'

export const administrationErrors = defineErrors({
  s3_setting_refused: { status: 400, message: 'The S3 API refuses this setting.' },
  share_object_not_found: { status: 404, message: 'There is no such version with bytes, so a link to it would not work.' },
  share_user_denied: {
    status: 409,
    message: 'This S3 user may not read the object. Choose its owner, a user with a grant to read it, or an admin.',
  },
})

/** Runs a rule of the S3 API. What it refuses is an error of the Admin API with the same message. */
export async function withAdminErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    throw administrationErrors.s3_setting_refused({ message: error.message, cause: error })
  }
}
