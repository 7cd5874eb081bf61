import type { CacheGauge } from '../../contract.ts'
import type { Evictor } from './evictor.ts'
import type { Capacity } from './reservation.ts'

/** Cache usage and limits for operators. */
export function createCacheGauge(capacity: Capacity, evictor: Evictor): CacheGauge {
  const { rules } = evictor
  return {
    stats: () => ({
      usedBytes: capacity.usedBytes,
      maxBytes: capacity.maxBytes,
      reservedBytes: capacity.reservedBytes,
      evictionPolicy: rules.policy,
      ...(rules.policy === 'lru' && { highWatermarkBytes: rules.highBytes, lowWatermarkBytes: rules.lowBytes }),
      isEvictionPaused: evictor.isPaused,
    }),
  }
}
