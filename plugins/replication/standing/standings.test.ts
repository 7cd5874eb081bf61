import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import { beginEviction } from '../../storage/testing/rows.ts'
import { standingGuard } from '../attach/attach.ts'
import type { DataSetFinding, Standings } from '../contract.ts'
import type { PipelineContent } from '../copies/records/copy-store.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { countAgain } from './count-again.ts'
import { reportCopy, suspectCopy } from './report-copy.ts'
import { failuresApartMs } from './standing-policy.ts'
import { createStandings } from './standings.ts'

const { signal } = new AbortController()
let rows: StorageRows
let deps: TestPipeline
let standings: Standings
let dataSets: readonly [DataSet, DataSet]
let content: PipelineContent
let copyIds: number[]

/** A cached content with copies on two data sets, of a bucket with a minimum of two. */
beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  deps.reads.pieceState = async () => 'live'
  standings = createStandings(deps)
  dataSets = [await rows.addDataSet(), await rows.addDataSet()]
  content = await rows.addContent()
  copyIds = []
  for (const dataSet of dataSets) copyIds.push(await rows.addCopy(content, dataSet, 'committed'))
  await rows.database.write(async (tx) => {
    await runSql(tx, 'insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (?, 9, 0, 0)', content.contentId)
    await deps.states.copies.recount(tx, [content.contentId])
  })
})
afterEach(() => rows[Symbol.asyncDispose]())

const counts = () =>
  getRow(
    rows.database.read,
    `select c.durable_copies as durable, c.readable_copies as readable, c.store_state as state, e.releasable
     from contents c join cache_entries e on e.content_id = c.id`,
  )
const all = { durable: 2, readable: 2, state: 'stored', releasable: 1 }
const oneLess = { durable: 1, readable: 2, state: 'storing', releasable: 0 }

const finding = (more: Partial<DataSetFinding> = {}): DataSetFinding => ({
  dataSetId: dataSets[0].id,
  chainId: String(dataSets[0].chainId),
  reason: null,
  isClosed: false,
  ...more,
})
const mayRelease = () =>
  rows.database.write(async (tx) => {
    const begun = await beginEviction(tx, content.contentId)
    await runSql(tx, "update cache_entries set state = 'present'")
    return begun !== undefined && (await standingGuard.mayRelease({}, tx, content.contentId))
  })
const runTasks = async () => {
  for (const task of deps.scheduled.splice(0)) if (task.startsWith('standing ')) await countAgain(deps, Number(task.slice(9)), signal)
}
/** Tasks that could store, pull, commit or create something. */
const paid = () => deps.scheduled.filter((task) => /^(store|pull|commit|ensure|park|cleanup|end) /.test(task))

test('I-53: the copies on a data set that missed proving do not count until it proves again, and nothing is paid for', async () => {
  expect([await counts(), await mayRelease()]).toEqual([all, true])
  await standings.reportDataSets([finding({ reason: 'proving_missed' })])
  // The contents are counted by a task, and not one of them is evicted before.
  expect([await counts(), await mayRelease()]).toEqual([all, false])
  await runTasks()
  expect([await counts(), await mayRelease()]).toEqual([oneLess, false])
  expect(await standings.listDataSets({})).toMatchObject([
    { denied: { reason: 'proving_missed', sinceMs: deps.clock.now() }, status: 'ready', committedCopies: 1 },
    { denied: null },
  ])
  // A report of the same changes nothing.
  await standings.reportDataSets([finding({ reason: 'proving_missed' })])
  expect(deps.scheduled).toEqual([])
  await standings.reportDataSets([finding({ reason: 'service_ended' })])
  await runTasks()
  expect([await counts(), (await standings.listDataSets({}))[0]?.denied?.reason]).toEqual([oneLess, 'service_ended'])
  await standings.reportDataSets([finding()])
  await runTasks()
  expect([await counts(), await mayRelease()]).toEqual([all, true])
  expect(await allRows(rows.database.read, 'select * from data_set_standings')).toEqual([])
  expect(paid()).toEqual([])
})

test('I-53: a count that was interrupted is continued from its last page after a restart', async () => {
  const contents = [content]
  for (let more = 0; more < 3; more++) {
    const added = await rows.addContent()
    for (const dataSet of dataSets) await rows.addCopy(added, dataSet, 'committed')
    contents.push(added)
  }
  await standings.reportDataSets([finding({ reason: 'proving_missed' })])
  deps.scheduled.length = 0
  const aborted = AbortSignal.abort(new Error('stopping'))
  await expect(countAgain(deps, dataSets[0].id, aborted)).rejects.toThrow('stopping')
  // The row alone says that the count is not complete: the next report enqueues it again.
  await standings.reportDataSets([finding({ reason: 'proving_missed' })])
  await runTasks()
  expect(await allRows(rows.database.read, 'select durable_copies as n from contents')).toEqual(contents.map(() => ({ n: 1 })))
})

test('a finding about an id that a reorganisation took from the data set changes nothing', async () => {
  await standings.reportDataSets([finding({ reason: 'proving_missed', chainId: '999' })])
  await runTasks()
  expect([await counts(), (await standings.listDataSets({}))[0]?.denied]).toEqual([all, null])
})

test('a terminated data set follows its table of states, and its copies count while its service runs', async () => {
  deps.world.isLive = false
  await standings.reportDataSets([finding({ isClosed: true })])
  expect((await findDataSet(rows.database.read, dataSets[0].id))?.state).toBe('write_blocked')
  expect((await counts()) as object).toMatchObject({ durable: 2 })
  await standings.reportDataSets([finding({ isClosed: true, reason: 'service_ended' })])
  await runTasks()
  expect(await counts()).toEqual(oneLess)
})

test('a closed data set is left alone while the chain node does not answer', async () => {
  deps.reads.liveness = async () => {
    throw Object.assign(new Error('no answer'), { code: 'chain_unreachable' })
  }
  await standings.reportDataSets([finding({ isClosed: true })])
  expect((await findDataSet(rows.database.read, dataSets[0].id))?.state).toBe('ready')
})

/** Reads those of the first data set. */
const doubts = async () => {
  const [shown] = await standings.listDataSets({})
  return shown && { missing: shown.missingCopies, wrong: shown.wrongCopies, denied: shown.deniedCopies }
}

test('I-53: a copy whose provider denies it does not count from the first denial on; a second look ten minutes later confirms it', async () => {
  const [copyId = 0] = copyIds
  expect([await counts(), await mayRelease()]).toEqual([all, true])
  await reportCopy(deps, copyId, 'missing')
  expect([await counts(), await mayRelease()]).toEqual([oneLess, false])
  expect(await doubts()).toEqual({ missing: 1, wrong: 0, denied: 0 })
  await deps.clock.advance(failuresApartMs - 1)
  await reportCopy(deps, copyId, 'missing')
  expect(await doubts()).toEqual({ missing: 1, wrong: 0, denied: 0 })
  await deps.clock.advance(1)
  await reportCopy(deps, copyId, 'missing')
  expect(await doubts()).toEqual({ missing: 1, wrong: 0, denied: 1 })
  // The row, not the process, remembers it.
  await rows.database.write((tx) => createTestPipeline(rows).states.copies.recount(tx, [content.contentId]))
  expect(await counts()).toEqual(oneLess)
  await reportCopy(deps, copyId, 'unreachable')
  expect(await counts()).toEqual(oneLess)
  await reportCopy(deps, copyId, 'intact')
  expect([await counts(), await mayRelease(), await doubts()]).toEqual([all, true, { missing: 0, wrong: 0, denied: 0 }])
  expect(paid()).toEqual([])
})

test('I-53: a read that a provider denies is a doubt at once, and the next check that finds the piece ends it', async () => {
  const [copyId = 0] = copyIds
  await suspectCopy(deps, { copyId, result: 'wrong_bytes' })
  expect([await counts(), await mayRelease(), await doubts()]).toEqual([oneLess, false, { missing: 0, wrong: 1, denied: 0 }])
  await suspectCopy(deps, { copyId, result: 'missing' })
  expect(await doubts()).toEqual({ missing: 0, wrong: 1, denied: 0 })
  await reportCopy(deps, copyId, 'intact')
  expect([await counts(), await mayRelease()]).toEqual([all, true])
  expect(paid()).toEqual([])
})

test('I-53: a copy is not confirmed as lost while the chain cannot be asked about its piece, and does not count either', async () => {
  const [copyId = 0] = copyIds
  await reportCopy(deps, copyId, 'wrong_bytes')
  await deps.clock.advance(failuresApartMs)
  deps.reads.pieceState = async () => {
    throw Object.assign(new Error('no answer'), { code: 'chain_unreachable' })
  }
  await reportCopy(deps, copyId, 'wrong_bytes')
  expect([await counts(), await doubts()]).toEqual([oneLess, { missing: 0, wrong: 1, denied: 0 }])
  deps.reads.pieceState = async () => 'gone'
  await reportCopy(deps, copyId, 'wrong_bytes')
  expect([await counts(), await doubts()]).toEqual([oneLess, { missing: 0, wrong: 1, denied: 1 }])
})

test('doubts go with their copies and data sets', async () => {
  const [copyId = 0] = copyIds
  await reportCopy(deps, copyId, 'missing')
  await standings.reportDataSets([finding({ reason: 'proving_missed' })])
  await rows.database.write((tx) => runSql(tx, 'delete from copies'))
  expect(await allRows(rows.database.read, 'select * from copy_doubts')).toEqual([])
})
