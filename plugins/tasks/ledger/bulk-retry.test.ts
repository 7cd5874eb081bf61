import { expect, test } from 'vitest'
import { done } from '#kernel'
import { bind, insertTaskRow, openTasks, scriptedKind, type TestTasks, wrongCounters } from '#kernel/testing'
import { type LedgerOnEngine, startLedger } from '../testing/start-ledger.ts'

/** More than two pages. */
const failures = 450

async function setUp(tasks: TestTasks): Promise<LedgerOnEngine> {
  const succeeds = () => done()
  const burning = { ...scriptedKind(succeeds, { kind: 'burn' }), retry: { level: 'danger', text: 'Burns the letters.' } as const }
  const svc = await startLedger(tasks, {
    kinds: [bind(scriptedKind(succeeds)), bind(scriptedKind(succeeds, { kind: 'other' })), bind(burning)],
  })
  await tasks.database.write(async (tx) => {
    const startMs = tasks.clock.now() - failures
    for (let n = 0; n < failures; n++) {
      await insertTaskRow(tx, { kind: ['work', 'other', 'burn'][n % 3] ?? '', status: 'failed', atMs: startMs + n })
    }
  })
  return svc
}

const failedOf = async ({ ledger }: LedgerOnEngine) =>
  Object.fromEntries((await ledger.counts()).flatMap(({ kind, status, count }) => (status === 'failed' ? [[kind, count]] : [])))

test('all failures are retried in pages, except of kinds whose retry deletes; the preview names both', async () => {
  await using tasks = await openTasks()
  await using svc = await setUp(tasks)
  const { kinds, asOfMs } = await svc.ledger.previewRetry()
  expect(kinds.map(({ kind, count, effect }) => [kind, count, effect !== undefined]).sort()).toEqual([
    ['burn', 150, false],
    ['other', 150, true],
    ['work', 150, true],
  ])
  await tasks.database.write((tx) => insertTaskRow(tx, { kind: 'work', status: 'failed', atMs: asOfMs + 1 }))
  expect(await svc.ledger.retryAll({ failedBeforeMs: asOfMs })).toEqual({ retried: 300, refused: 0 })
  expect(await failedOf(svc)).toEqual({ burn: 150, work: 1 })
  expect(await wrongCounters(tasks)).toEqual([])
})

test('only failures of the given kind are retried, and those that cannot be are counted', async () => {
  await using tasks = await openTasks()
  await using svc = await setUp(tasks)
  expect((await svc.ledger.previewRetry('other')).kinds.map(({ kind }) => kind)).toEqual(['other'])
  expect(await svc.ledger.retryAll({ kind: 'other' })).toEqual({ retried: 150, refused: 0 })
  expect(await svc.ledger.retryAll({ kind: 'burn' })).toEqual({ retried: 0, refused: 0 })
  expect(await failedOf(svc)).toEqual({ burn: 150, work: 150 })
  await expect(svc.ledger.retryAll({ kind: 'nothing' })).rejects.toMatchObject({ code: 'unknown_task_type' })
})
