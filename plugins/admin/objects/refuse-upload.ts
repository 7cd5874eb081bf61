import { SvcError } from '#kernel'
import { refuseFullCache } from './refuse-full-cache.ts'

const s3Codes: Readonly<Record<string, string>> = { entity_too_small: 'EntityTooSmall', entity_too_large: 'EntityTooLarge' }

/** Messages about the size begin with the S3 code, which clients of both APIs look for. */
export function refuseUpload(error: unknown): never {
  const s3Code = error instanceof SvcError ? s3Codes[error.code] : undefined
  if (!(error instanceof SvcError) || s3Code === undefined) return refuseFullCache(error)
  throw new SvcError(error.code, error, { message: `${s3Code}: ${error.message}`, cause: error })
}
