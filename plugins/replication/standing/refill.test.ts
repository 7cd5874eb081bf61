import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, getRow, insertRow, runSql } from '#kernel/testing'
import type { CopyCheckResult } from '../contract.ts'
import type { PipelineContent } from '../copies/records/copy-store.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { reportCopy } from './report-copy.ts'
import { failuresApartMs, isLost, lostAfterMs } from './standing-policy.ts'

type ChainState = 'live' | 'gone' | 'unknowable'

let rows: StorageRows
let deps: TestPipeline
let dataSets: readonly DataSet[]
let content: PipelineContent
let copyIds: number[]
let chainState: ChainState

/** A content with final copies on two data sets. */
beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  chainState = 'live'
  deps.reads.pieceState = async () => chainState
  dataSets = [await rows.addDataSet(), await rows.addDataSet()]
  content = await rows.addContent()
  copyIds = []
  for (const dataSet of dataSets) copyIds.push(await addFinalCopy(dataSet))
  await recount()
})
afterEach(() => rows[Symbol.asyncDispose]())

async function addFinalCopy(dataSet: DataSet): Promise<number> {
  const copyId = await rows.addCopy(content, dataSet, 'committed')
  await rows.database.write(async (tx) => {
    const batch = await insertRow(
      tx,
      `insert into commit_batches (data_set_id, method, state, nonce, extra_data, next_piece_id, final_at, created_at, updated_at)
       values (?, 'store', 'confirmed', ?, '0x', '9', 1, 0, 0)`,
      dataSet.id,
      String(copyId),
    )
    await runSql(tx, 'update copies set batch_id = ? where id = ?', batch, copyId)
  })
  return copyId
}

const recount = () => rows.database.write((tx) => deps.states.copies.recount(tx, [content.contentId]))
const report = (result: CopyCheckResult, copyId = copyIds[0] ?? 0) => reportCopy(deps, copyId, result)
async function deny(copyId?: number) {
  await report('missing', copyId)
  await deps.clock.advance(failuresApartMs)
  await report('missing', copyId)
}
async function lose() {
  await deny()
  await deps.clock.advance(lostAfterMs)
  await report('missing')
}
const copy = () =>
  getRow(rows.database.read, 'select state, chain_piece_id as piece, batch_id as batch from copies where id = ?', copyIds[0] ?? 0)
const removals = () =>
  allRows(rows.database.read, 'select data_set_id as "dataSet", chain_piece_id as piece, copy_id as copy, state from removals')
const durable = () => getRow(rows.database.read, 'select durable_copies as n from contents')
const change = (sql: string, ...values: readonly (number | undefined)[]) =>
  rows.database.write((tx) => runSql(tx, sql, ...values.map((value) => value ?? 0)))
/** The piece was stored again, and its addition is final. */
const landAgain = async () => {
  await change("update copies set state = 'committed', chain_piece_id = '77', batch_id = 1 where id = ?", copyIds[0])
  await recount()
}

const untouched = { state: 'committed', piece: '1', batch: 1 }
const planned = { state: 'planned', piece: null, batch: null }

test('a piece that its provider lost is stored again on the same data set, once, and counts only when a check finds it intact', async () => {
  await deny()
  await deps.clock.advance(lostAfterMs - failuresApartMs - 1)
  deps.scheduled.length = 0
  await report('missing')
  // I-53: until then it is a doubt, and a doubt pays nothing.
  expect([await copy(), await removals(), deps.scheduled]).toEqual([untouched, [], []])
  await deps.clock.advance(1)
  await report('missing')
  expect([await copy(), await durable()]).toEqual([planned, { n: 1 }])
  expect(await removals()).toEqual([{ dataSet: dataSets[0]?.id, piece: '1', copy: null, state: 'pending' }])
  expect(deps.scheduled).toEqual([`cleanup ${dataSets[0]?.id}`, `store ${content.contentId}`])
  // A report that comes late changes nothing.
  await report('missing')
  expect([await copy(), (await removals()).length]).toEqual([planned, 1])
  await landAgain()
  expect(await durable()).toEqual({ n: 1 })
  await report('intact')
  expect([await durable(), await allRows(rows.database.read, 'select * from copy_doubts')]).toEqual([{ n: 2 }, []])
})

test('a piece that the chain does not have either is lost with the next failed check', async () => {
  chainState = 'gone'
  await deny()
  expect(await copy()).toEqual(untouched)
  await deps.clock.advance(failuresApartMs)
  await report('wrong_bytes')
  expect(await copy()).toEqual(planned)
})

test('a provider that loses a piece again is not paid for it a third time', async () => {
  await lose()
  await landAgain()
  await report('missing')
  await deps.clock.advance(lostAfterMs)
  await report('missing')
  expect(await copy()).toEqual(planned)
  await landAgain()
  await report('missing')
  await deps.clock.advance(10 * lostAfterMs)
  await report('missing')
  expect([await copy(), await durable()]).toEqual([{ state: 'committed', piece: '77', batch: 1 }, { n: 1 }])
})

const kept: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['the other copy is denied too', () => deny(copyIds[1])],
  ['the other copy is lost', () => change("update copies set state = 'lost' where id = ?", copyIds[1])],
  ['the provider of the other copy stopped proving', () => standingOf(1)],
  [
    'the data set must end',
    () =>
      change(
        "insert into data_set_endings (data_set_id, cause, state, path, requested_at, updated_at) values (1, 'replaced', 'pending', 'relay', 0, 0)",
      ),
  ],
  ['the data set takes no more pieces', () => change("update data_sets set state = 'write_blocked' where id = 1")],
  ['the slot has another data set', () => change('update replica_slots set current_data_set_id = 2 where slot = 0')],
  ['the addition of the piece is not final', () => change('update commit_batches set final_at = null')],
  ['the content is deleted', () => change("update contents set state = 'deleting', ref_count = 0")],
]

const standingOf = (index: number) =>
  change("insert into data_set_standings (data_set_id, reason, since) values (?, 'proving_missed', 0)", dataSets[index]?.id)

test.each(kept)('a lost piece is not stored again when %s', async (_what, prepare) => {
  await deny()
  await prepare()
  await deps.clock.advance(lostAfterMs)
  await report('missing')
  expect([await copy(), await removals()]).toEqual([untouched, []])
})

test('the cache is a source of a lost piece', async () => {
  await change("update copies set state = 'lost' where id = ?", copyIds[1])
  await change('insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (?, 9, 0, 0)', content.contentId)
  await lose()
  expect(await copy()).toEqual(planned)
})

const denied = { failures: 2, firstFailedAtMs: 0, deniedAtMs: 600_000, refills: 0 }
const judged: readonly (readonly [Partial<typeof denied> | { deniedAtMs: null }, ChainState, number, boolean])[] = [
  [{}, 'live', lostAfterMs, true],
  [{}, 'live', lostAfterMs - 1, false],
  [{}, 'gone', 1, true],
  [{}, 'unknowable', 2 * lostAfterMs, false],
  [{ deniedAtMs: null }, 'live', lostAfterMs, false],
  [{ refills: 1 }, 'live', lostAfterMs, true],
  [{ refills: 2 }, 'gone', lostAfterMs, false],
]
test.each(judged)('a copy with %j whose piece is %s on chain after %d ms is lost: %s', (more, chain, nowMs, expected) => {
  expect(isLost({ ...denied, ...more, chainState: chain }, nowMs)).toBe(expected)
})
