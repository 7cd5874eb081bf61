import { SvcError } from '#kernel'
import { adminErrors } from '../errors.ts'

/** The Admin API answers a full cache with 507, also during an eviction. */
export function refuseFullCache(error: unknown): never {
  if (!(error instanceof SvcError) || error.code !== 'cache_busy') throw error
  const { message, retryAfterSeconds } = error
  throw adminErrors.cache_full({ message, cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
}
