import { beforeEach, expect, test } from 'vitest'
import type { Database } from '#kernel'
import { checkTaskKind, createFakeClock, type FakeClock } from '#kernel/testing'
import { refreshInventoryTask } from './refresh-inventory-task.ts'

let clock: FakeClock
let readAtMs: number | null
let refreshes: number
let enqueued: (number | undefined)[]

beforeEach(() => {
  clock = createFakeClock()
  readAtMs = null
  refreshes = 0
  enqueued = []
})

const refreshed = async () => {
  refreshes += 1
  readAtMs = clock.now()
}

const servicesWith = (refresh: () => Promise<void>) => ({
  clock,
  settings: { interval: 120_000, timeout: 5000, concurrency: 8 },
  providers: { refresh, inventory: async () => ({ freshness: readAtMs === null ? 'unknown' : 'fresh', readAtMs }) },
  database: { write: (job: (tx: unknown) => unknown) => job(undefined) } as unknown as Database,
  taskQueue: { add: async (_tx: unknown, _kind: unknown, _args: unknown, { runAtMs }: { runAtMs?: number }) => enqueued.push(runAtMs) },
})

const run = (refresh = refreshed) => refreshInventoryTask.run({ services: servicesWith(refresh) } as never) as Promise<unknown>

test('I-09: the task may run again', async () => {
  await checkTaskKind({ kind: refreshInventoryTask, args: {}, services: servicesWith(refreshed) as never, snapshot: () => refreshes })
})

test('the interval of the settings passes between two rounds, whoever wakes the task', async () => {
  const firstAtMs = clock.now()
  await run()
  await clock.advance(60_000)
  await run()
  expect([refreshes, enqueued]).toEqual([1, [firstAtMs + 120_000, firstAtMs + 120_000]])
  await clock.advance(60_000)
  await run()
  expect(refreshes).toBe(2)
})

test('a clock that stepped back does not stop the rounds', async () => {
  readAtMs = clock.now() + 86_400_000
  await run()
  expect(refreshes).toBe(1)
})

test('I-08: while the chain node does not answer the task waits; other errors fail it', async () => {
  const silent = Object.assign(new Error('no answer'), { code: 'chain_unreachable' })
  expect(await run(() => Promise.reject(silent))).toMatchObject({ kind: 'wait', reason: 'chain', untilMs: clock.now() + 60_000 })
  await expect(run(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full')
})
