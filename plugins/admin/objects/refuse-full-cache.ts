import { SvcError } from '#kernel'
import { adminErrors } from '../errors.ts'

/** Here a full cache is always 507, also while room is being made in it. */
export function refuseFullCache(error: unknown): never {
  if (!(error instanceof SvcError) || error.code !== 'cache_busy') throw error
  const { message, retryAfterSeconds } = error
  throw adminErrors.cache_full({ message, cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
}
