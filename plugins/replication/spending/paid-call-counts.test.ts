import { expect, test } from 'vitest'
import type { Reader } from '#kernel'
import { createFakeClock, runSql } from '#kernel/testing'
import { openStorageRows } from '../testing/storage-rows.ts'
import { createPaidCallCounts } from './paid-call-counts.ts'
import { dayMs } from './paid-calls-store.ts'

const today = 20_000
/** Noon of a UTC day. */
const noon = (day: number) => day * dayMs + dayMs / 2

async function open() {
  const rows = await openStorageRows()
  const { id: dataSetId } = await rows.addDataSet()
  const clock = createFakeClock(noon(today) + 1)
  let nonces = 0
  /** Records an addition. Returns its id. */
  const add = (state: 'confirmed' | 'uncertain', atMs: number, isFinal = true) =>
    rows.database.write(async (tx) => {
      const id = ++nonces
      await runSql(
        tx,
        `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, submit_started_at, piece_count, final_at, created_at, updated_at)
         values (?, ?, 'store', ?, ?, '0x', ?, 1, ?, 1, 1)`,
        id,
        dataSetId,
        state,
        `n${id}`,
        atMs,
        isFinal && state === 'confirmed' ? atMs : null,
      )
      return id
    })
  const counts = createPaidCallCounts({ database: rows.database, clock })
  /** Additions since a day, and the first day of which the database was asked. */
  const since = async (day: number) => {
    let asked: number | undefined
    const read = {
      ...rows.database.read,
      all: (statement: never, params: { readonly fromDay: number }) => {
        asked = params.fromDay
        return rows.database.read.all(statement, params as never)
      },
    } as unknown as Reader
    await counts.closeDays()
    const calls = await counts.since(read, day * dayMs)
    return [calls.reduce((sum, { additions }) => sum + additions, 0), asked]
  }
  const change = (sql: string, ...values: readonly (string | number)[]) => rows.database.write((tx) => runSql(tx, sql, ...values))
  return { add, since, change, clock, [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose]() }
}

test('days whose calls are final are counted once, and later counts begin behind them', async () => {
  await using scene = await open()
  for (const day of [1, 2, today - 1, today]) await scene.add('confirmed', noon(day) - 1)
  expect(await scene.since(0)).toEqual([4, today])
  expect(await scene.since(2)).toEqual([3, today])
  expect(await scene.since(today)).toEqual([1, today])
  await scene.add('confirmed', noon(today))
  expect(await scene.since(0)).toEqual([5, today])
  await scene.clock.advance(dayMs)
  expect(await scene.since(0)).toEqual([5, today + 1])
  expect(await scene.since(today)).toEqual([2, today + 1])
})

test.each([
  ['undecided', 'uncertain', true],
  ['not final', 'confirmed', false],
] as const)('a day with a call that is %s is read again until it cannot change', async (_what, state, isFinal) => {
  await using scene = await open()
  await scene.add('confirmed', noon(1))
  const id = await scene.add(state, noon(5), isFinal)
  await scene.add('confirmed', noon(9))
  expect(await scene.since(0)).toEqual([3, 5])
  await scene.change("update commit_batches set state = 'closed' where id = ?", id)
  expect(await scene.since(0)).toEqual([2, today])
})

test('in the first half of a day the day before is still read', async () => {
  await using scene = await open()
  await scene.clock.advance(-2)
  expect(await scene.since(0)).toEqual([0, today - 1])
})

test('after a step back of the clock all days are read again, because a closed one may get calls', async () => {
  await using scene = await open()
  await scene.add('confirmed', noon(today - 3))
  expect(await scene.since(0)).toEqual([1, today])
  await scene.clock.advance(-4 * dayMs)
  await scene.add('uncertain', noon(today - 4))
  expect(await scene.since(0)).toEqual([2, today - 4])
})
