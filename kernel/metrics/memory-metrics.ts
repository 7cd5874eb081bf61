import { type Contributions, contributions } from '../core/contributions.ts'
import { defineMetric, type MemoryUse, memoryParts } from './metrics.ts'

async function readMemory(contributions: Contributions, figure: keyof MemoryUse) {
  const parts = await Promise.all(contributions.to(memoryParts).map(({ item, services }) => item.read(services)))
  return Object.entries<MemoryUse>(Object.assign({}, ...parts)).flatMap(([part, { [figure]: value }]) =>
    value === undefined ? [] : [{ labels: { part }, value }],
  )
}

export const memoryMetrics = [
  defineMetric({
    name: 'svc_memory_budget_bytes',
    help: 'Largest memory by use: bytes of bodies and answers in transfer, small objects that are read often, heaps of hashing threads, page caches of SQLite, XML documents of requests and answers, S3 connections (40 KiB each), heaps of threads that compute piece CIDs, or reads from providers.',
    type: 'gauge',
    labels: ['part'],
    uses: { contributions },
    collect: ({ contributions }) => readMemory(contributions, 'budgetBytes'),
  }),
  defineMetric({
    name: 'svc_memory_used_bytes',
    help: 'Memory in use, by the same uses; without page caches of SQLite, which SQLite does not report. Never above the budget.',
    type: 'gauge',
    labels: ['part'],
    uses: { contributions },
    collect: ({ contributions }) => readMemory(contributions, 'usedBytes'),
  }),
]
