import { defineMemoryPart, defineMetric } from '#kernel'
import { cacheGauge } from '../contract.ts'
import { cache, readCounts } from '../services.ts'

export const cacheMemory = defineMemoryPart({ name: 'cache', uses: { cache }, read: async ({ cache }) => ({ ...(await cache.memory()) }) })

const single = (value: number) => [{ labels: {}, value }]

export const cacheMetrics = [
  defineMetric({
    name: 'svc_cache_used_bytes',
    help: 'Bytes of objects in the cache.',
    type: 'gauge',
    labels: [],
    uses: { cacheGauge },
    collect: async ({ cacheGauge }) => single(cacheGauge.stats().usedBytes),
  }),
  defineMetric({
    name: 'svc_cache_max_bytes',
    help: 'Capacity of the cache.',
    type: 'gauge',
    labels: [],
    uses: { cacheGauge },
    collect: async ({ cacheGauge }) => single(cacheGauge.stats().maxBytes),
  }),
  defineMetric({
    name: 'svc_memory_waiting_transfers',
    help: 'Transfers that wait for memory.',
    type: 'gauge',
    labels: [],
    uses: { cache },
    collect: async ({ cache }) => single((await cache.memory()).transfers.waiting),
  }),
  defineMetric({
    name: 'svc_cache_lru_eviction_paused',
    help: '1 while lru eviction is paused because access times could not be recorded.',
    type: 'gauge',
    labels: [],
    uses: { cacheGauge },
    collect: async ({ cacheGauge }) => single(cacheGauge.stats().isEvictionPaused ? 1 : 0),
  }),
  defineMetric({
    name: 'svc_cache_hits_total',
    help: 'Object reads served from the cache.',
    type: 'counter',
    labels: [],
    uses: { readCounts },
    collect: async ({ readCounts }) => single(readCounts.cache),
  }),
  defineMetric({
    name: 'svc_cache_misses_total',
    help: 'Object reads served from a provider.',
    type: 'counter',
    labels: [],
    uses: { readCounts },
    collect: async ({ readCounts }) => single(readCounts.provider),
  }),
  defineMetric({
    name: 'svc_cache_fills_started_total',
    help: 'Downloads of objects from providers into the cache that reads started.',
    type: 'counter',
    labels: [],
    uses: { cache },
    collect: async ({ cache }) => single(cache.fillCounts.started),
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
  defineMetric({
    name: 'svc_cache_fill_bytes_total',
    help: 'Bytes received by downloads into the cache.',
    type: 'counter',
    labels: [],
    uses: { cache },
    collect: async ({ cache }) => single(cache.fillCounts.bytes),
  }),
]
