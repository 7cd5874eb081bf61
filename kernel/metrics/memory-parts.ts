/** Memory with a budget, by use: what `svc_memory_budget_bytes` and `svc_memory_used_bytes` show. */
import { type Contributions, contributions } from '../core/contributions.ts'
import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Resolved, Uses } from '../core/service.ts'
import { defineMetric } from './metrics.ts'

export interface MemoryUse {
  readonly budgetBytes: number
  /** Undefined where it cannot be measured. */
  readonly usedBytes: number | undefined
}

interface MemoryPart<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** By the value of the label `part`. */
  read(services: Resolved<U>): Readonly<Record<string, MemoryUse>> | Promise<Readonly<Record<string, MemoryUse>>>
}

export const memoryParts = defineExtensionPoint<MemoryPart>('metrics.memory-parts')

export const defineMemoryPart = <const U extends Uses>(part: MemoryPart<U>): MemoryPart => part

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
