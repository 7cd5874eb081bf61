import { defineMetric } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'
import { defineMemoryPart } from '#kernel/system'
import { cacheGauge } from '../contract.ts'
import { cache, readCounts } from '../services.ts'

export const cacheMemory = defineMemoryPart({ name: 'cache', uses: { cache }, read: async ({ cache }) => ({ ...(await cache.memory()) }) })

/** A metric of one value. */
function single<const U extends Uses>(
  type: 'gauge' | 'counter',
  name: string,
  { help, uses, read }: { readonly help: string; readonly uses: U; read(services: Resolved<U>): number | Promise<number> },
) {
  return defineMetric({ name, help, type, labels: [], uses, collect: async (services) => [{ labels: {}, value: await read(services) }] })
}

export const cacheMetrics = [
  single('gauge', 'svc_cache_used_bytes', {
    help: 'Bytes of objects in the cache.',
    uses: { cacheGauge },
    read: ({ cacheGauge }) => cacheGauge.stats().usedBytes,
  }),
  single('gauge', 'svc_cache_max_bytes', {
    help: 'Capacity of the cache.',
    uses: { cacheGauge },
    read: ({ cacheGauge }) => cacheGauge.stats().maxBytes,
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
    read: ({ readCounts }) => readCounts.cache,
  }),
  single('counter', 'svc_cache_misses_total', {
    help: 'Object reads served from a provider.',
    uses: { readCounts },
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
