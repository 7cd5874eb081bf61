import { database, defineMetric } from '#kernel'
import type { MetricCollector, Resolved, Uses } from '#kernel/system'
import { defineMemoryPart } from '#kernel/system'
import { cacheGauge } from '../contract.ts'
import { cache, readCounts } from '../services.ts'
import { sumReleasable } from './sum-releasable.ts'

export const cacheMemory = defineMemoryPart({ name: 'cache', uses: { cache }, read: async ({ cache }) => ({ ...(await cache.memory()) }) })

/** A metric of one value. */
function single<const U extends Uses>(
  type: 'gauge' | 'counter',
  name: string,
  spec: Pick<MetricCollector, 'help' | 'keepMs' | 'series'> & { readonly uses: U; read(services: Resolved<U>): number | Promise<number> },
) {
  const { read, ...rest } = spec
  return defineMetric({ ...rest, name, type, labels: [], collect: async (services) => [{ labels: {}, value: await read(services) }] })
}

/** Sums take longer, the more contents may be evicted. */
const keepMs = 30_000

export const cacheMetrics = [
  single('gauge', 'svc_cache_used_bytes', {
    help: 'Bytes of objects in the cache.',
    uses: { cacheGauge },
    series: [{ name: 'cache_used', label: 'Used', unit: 'bytes' }],
    read: ({ cacheGauge }) => cacheGauge.stats().usedBytes,
  }),
  single('gauge', 'svc_cache_max_bytes', {
    help: 'Capacity of the cache.',
    uses: { cacheGauge },
    series: [{ name: 'cache_capacity', label: 'Capacity', unit: 'bytes' }],
    read: ({ cacheGauge }) => cacheGauge.stats().maxBytes,
  }),
  single('gauge', 'svc_cache_pinned_bytes', {
    help: 'Bytes in the cache that eviction may not remove now, such as those of objects without enough copies; summed at most every 30 seconds.',
    uses: { cacheGauge, database },
    keepMs,
    series: [{ name: 'cache_pinned', label: 'Pinned', unit: 'bytes' }],
    read: async ({ cacheGauge, database }) => {
      const releasableBytes = await sumReleasable(database.read)
      return Math.max(0, cacheGauge.stats().usedBytes - releasableBytes)
    },
  }),
  single('gauge', 'svc_memory_waiting_transfers', {
    help: 'Transfers that wait for memory.',
    uses: { cache },
    read: async ({ cache }) => (await cache.memory()).transfers.waiting,
  }),
  single('gauge', 'svc_cache_lru_eviction_paused', {
    help: '1 while lru eviction is paused because access times could not be recorded.',
    uses: { cacheGauge },
    read: ({ cacheGauge }) => (cacheGauge.stats().isEvictionPaused ? 1 : 0),
  }),
  single('counter', 'svc_cache_hits_total', {
    help: 'Object reads served from the cache.',
    uses: { readCounts },
    series: [{ name: 'cache_hits', label: 'Hits', unit: 'count' }],
    read: ({ readCounts }) => readCounts.cache,
  }),
  single('counter', 'svc_cache_misses_total', {
    help: 'Object reads served from a provider.',
    uses: { readCounts },
    series: [{ name: 'cache_misses', label: 'Misses', unit: 'count' }],
    read: ({ readCounts }) => readCounts.provider,
  }),
  single('counter', 'svc_cache_fills_started_total', {
    help: 'Downloads of objects from providers into the cache that reads started.',
    uses: { cache },
    read: ({ cache }) => cache.fillCounts.started,
  }),
  defineMetric({
    name: 'svc_cache_fills_ended_total',
    help: 'Downloads into the cache that ended. Finished: the object is cached; abandoned: its bytes were removed.',
    type: 'counter',
    labels: ['outcome'],
    uses: { cache },
    collect: async ({ cache: { fillCounts } }) =>
      (['finished', 'abandoned'] as const).map((outcome) => ({ labels: { outcome }, value: fillCounts[outcome] })),
  }),
  single('counter', 'svc_cache_fill_bytes_total', {
    help: 'Bytes received by downloads into the cache.',
    uses: { cache },
    read: ({ cache }) => cache.fillCounts.bytes,
  }),
]
