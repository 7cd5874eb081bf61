import { defineMetric } from '#kernel'
import { cacheGauge } from '../contract.ts'
import { readCounts } from '../services.ts'

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
]
