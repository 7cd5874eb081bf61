import { expect, test } from 'vitest'
import { fail } from '#kernel'
import { bind, insertTaskRow, openTasks, scriptedKind, type TestTasks, wrongCounters } from '#kernel/testing'
import { type LedgerOnEngine, startLedger } from '../testing/start-ledger.ts'

const kind = scriptedKind(() => fail('rejected', 'no', { retryable: true }))

/** More than four pages. */
const failuresBefore = 2100

async function setUp(tasks: TestTasks): Promise<LedgerOnEngine> {
  const svc = await startLedger(tasks, {
    kinds: [bind(kind), bind(scriptedKind(() => fail('rejected', 'no', { retryable: true }), { kind: 'other' }))],
  })
  const startMs = tasks.clock.now() - failuresBefore
  await tasks.database.write(async (tx) => {
    for (let n = 0; n < failuresBefore; n++)
      await insertTaskRow(tx, { kind: n % 3 === 0 ? 'other' : 'work', status: 'failed', atMs: startMs + n })
  })
  return svc
}

const open = async ({ ledger }: LedgerOnEngine) =>
  (await ledger.counts()).flatMap(({ status, count }) => (status === 'failed' ? [count] : []))

/** Fails new tasks, as fast as the engine runs them, until the work has ended; the number of them. */
async function failUntilEnd(svc: LedgerOnEngine, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  let put = 0
  while (!isOver) {
    await svc.enqueue(kind)
    put++
  }
  await ended
  return put
}

test('many failures are dismissed in pages; failures recorded between two pages stay', async () => {
  await using tasks = await openTasks()
  await using svc = await setUp(tasks)
  const { count, asOfMs } = await svc.ledger.preview()
  expect(count).toBe(failuresBefore)
  const dismissing = svc.ledger.acknowledgeAll({ failedBeforeMs: asOfMs })
  const later = await failUntilEnd(svc, dismissing)
  expect(await dismissing).toBe(failuresBefore)
  // Others had their turn between the pages.
  expect(later).toBeGreaterThan(3)
  await expect.poll(() => open(svc)).toEqual([later])
  expect(await wrongCounters(tasks)).toEqual([])
})

test('only failures of the given kind are dismissed', async () => {
  await using tasks = await openTasks()
  await using svc = await setUp(tasks)
  const { count, asOfMs } = await svc.ledger.preview('work')
  expect(count).toBe((failuresBefore * 2) / 3)
  expect(await svc.ledger.acknowledgeAll({ kind: 'work', failedBeforeMs: asOfMs })).toBe(count)
  expect(await open(svc)).toEqual([failuresBefore - count])
  expect(await wrongCounters(tasks)).toEqual([])
})

test('a future time dismisses the failures so far, and the loop ends although tasks keep failing', async () => {
  await using tasks = await openTasks()
  await using svc = await setUp(tasks)
  const dismissing = svc.ledger.acknowledgeAll({ failedBeforeMs: tasks.clock.now() + 3_600_000 })
  const later = await failUntilEnd(svc, dismissing)
  const dismissed = await dismissing
  expect(dismissed).toBeGreaterThanOrEqual(failuresBefore)
  await expect.poll(() => open(svc)).toEqual([failuresBefore + later - dismissed])
})
