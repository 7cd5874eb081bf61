import type { CacheGauge, CacheStats } from '../contract.ts'
import type { Capacity } from './reservation.ts'

/** What operators see of the cache's room. */
export function createCacheGauge(capacity: Capacity, evictionPolicy: CacheStats['evictionPolicy']): CacheGauge {
  return {
    stats: () => ({
      usedBytes: capacity.usedBytes,
      maxBytes: capacity.maxBytes,
      reservedBytes: capacity.reservedBytes,
      evictionPolicy,
    }),
  }
}
