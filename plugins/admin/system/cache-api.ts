/** Use and capacity of the cache, as the Admin API shows them. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import type { CacheStats } from '#plugins/storage'

export const cacheStats = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cache/stats',
  summary: 'Show usage and capacity of the local cache',
  answer: type({
    used_bytes: 'number.integer',
    max_bytes: 'number.integer',
    reserved_bytes: 'number.integer',
    eviction_policy: "'lru' | 'after_upload' | 'none'",
    // Present under lru only.
    'high_watermark_bytes?': 'number.integer',
    'low_watermark_bytes?': 'number.integer',
    eviction_paused: 'boolean',
  }),
})

export function describeCache(stats: CacheStats): typeof cacheStats.answer.infer {
  const { highWatermarkBytes, lowWatermarkBytes } = stats
  return {
    used_bytes: stats.usedBytes,
    max_bytes: stats.maxBytes,
    reserved_bytes: stats.reservedBytes,
    eviction_policy: stats.evictionPolicy,
    ...(highWatermarkBytes !== undefined && { high_watermark_bytes: highWatermarkBytes }),
    ...(lowWatermarkBytes !== undefined && { low_watermark_bytes: lowWatermarkBytes }),
    eviction_paused: stats.isEvictionPaused,
  }
}
