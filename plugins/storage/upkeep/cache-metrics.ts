import { type Database, database, defineMetric } from '#kernel'
import { type Contributions, contributions } from '#kernel/system'
import type { Cache } from '../cache/cache.ts'
import { cacheGauge, type MemoryUse, memoryParts } from '../contract.ts'
import { cache, readCounts } from '../services.ts'

interface MemorySources {
  readonly cache: Cache
  readonly database: Database
  readonly contributions: Contributions
}

async function readMemory({ cache, database, contributions }: MemorySources, figure: keyof MemoryUse) {
  const parts: [string, MemoryUse][] = Object.entries(await cache.memory())
  const pageBytesMax = database.memory?.().pageBytesMax
  if (pageBytesMax !== undefined) parts.push(['database_pages', { budgetBytes: pageBytesMax, usedBytes: undefined }])
  for (const { item, services } of contributions.to(memoryParts)) parts.push([item.name, await item.read(services as never)])
  return parts.flatMap(([part, { [figure]: value }]) => (value === undefined ? [] : [{ labels: { part }, value }]))
}

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
    name: 'svc_memory_budget_bytes',
    help: 'Largest memory by use: bytes of bodies and answers in transfer, small objects that are read often, heaps of hashing threads, page caches of SQLite, XML documents of requests and answers, S3 connections (40 KiB each), heaps of threads that compute piece CIDs, or reads from providers.',
    type: 'gauge',
    labels: ['part'],
    uses: { cache, database, contributions },
    collect: (sources) => readMemory(sources, 'budgetBytes'),
  }),
  defineMetric({
    name: 'svc_memory_used_bytes',
    help: 'Memory in use, by the same uses; without page caches of SQLite, which SQLite does not report. Never above the budget.',
    type: 'gauge',
    labels: ['part'],
    uses: { cache, database, contributions },
    collect: (sources) => readMemory(sources, 'usedBytes'),
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
