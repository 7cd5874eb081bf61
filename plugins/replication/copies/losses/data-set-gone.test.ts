import { afterEach, beforeEach, expect, test } from 'vitest'
import { getRow, runSql } from '#kernel/testing'
import { beginEviction, updateReleasable } from '../../../storage/testing/rows.ts'
import { type DataSet, findDataSet } from '../../datasets/data-set-store.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../../testing/test-pipeline.ts'
import { commitPieces } from '../batches/commit-pieces.ts'
import type { PipelineContent } from '../records/copy-store.ts'
import { handleDataSetGone, holdWrites } from './data-set-gone.ts'
import { finishEnd } from './finish-end.ts'

const { signal } = new AbortController()
let rows: StorageRows
let deps: TestPipeline
let dataSets: readonly [DataSet, DataSet]
let content: PipelineContent

/** A content with copies on two data sets, and with cached bytes that are releasable. */
beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  dataSets = [await rows.addDataSet(), await rows.addDataSet()]
  content = await rows.addContent()
  for (const dataSet of dataSets) await rows.addCopy(content, dataSet, 'committed')
  await rows.database.write(async (tx) => {
    await runSql(tx, `insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (?, 9, 0, 0)`, content.contentId)
    await deps.states.copies.recount(tx, [content.contentId])
  })
})

afterEach(() => rows[Symbol.asyncDispose]())

const releasable = async () => (await getRow<{ is: number }>(rows.database.read, 'select releasable as "is" from cache_entries'))?.is
const counted = () => getRow(rows.database.read, 'select durable_copies as durable, store_state as state from contents')

test('I-02: cached bytes with copies on a lost data set stay unreleasable until the content is recounted', async () => {
  expect(await releasable()).toBe(1)
  await rows.database.write(async (tx) => {
    await deps.states.dataSets.loseCommitted(tx, dataSets[1].id)
    await updateReleasable(tx, content.contentId)
  })
  expect(await releasable()).toBe(0)
  expect(await rows.database.write((tx) => beginEviction(tx, content.contentId))).toBeUndefined()
})

test('I-09: after a stop during the recount of a lost data set the commit task completes it', async () => {
  const [, lost] = dataSets
  deps.reads.liveness = async () => ({ live: false, reason: 'absent' })
  await handleDataSetGone(deps, lost, 'unknown')
  await deps.clock.advance(deps.pace.handlingMs)
  const { changed } = deps.uploadEvents
  deps.uploadEvents.changed = () => {
    throw new Error('power failure')
  }
  await handleDataSetGone(deps, lost, 'unknown')
  await expect(commitPieces(deps, lost.id, signal)).rejects.toThrow('power failure')
  deps.uploadEvents.changed = changed
  expect((await findDataSet(rows.database.read, lost.id))?.state).toBe('lost')
  expect(deps.scheduled).toEqual([`commit ${lost.id}`])
  expect(await counted()).toMatchObject({ state: 'stored' })

  expect(await commitPieces(deps, lost.id, signal)).toEqual({ kind: 'done' })
  expect(await counted()).toEqual({ durable: 1, state: 'storing' })
  expect(deps.scheduled).toEqual([`commit ${lost.id}`, `store ${content.contentId}`])
  await commitPieces(deps, lost.id, signal)
  expect(deps.scheduled).toHaveLength(2)
})

test('a data set whose creation a reorganisation removed is not lost: its nonce decides, and its copies wait', async () => {
  const [, young] = dataSets
  await rows.database.write((tx) => runSql(tx, 'update data_sets set final_at = null, landed_epoch = 0 where id = ?', young.id))
  deps.reads.liveness = async () => ({ live: false, reason: 'absent' })
  expect(await handleDataSetGone(deps, young, 'unknown')).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  expect(await findDataSet(rows.database.read, young.id)).toMatchObject({ state: 'creating', chainId: null })
  expect(deps.scheduled).toEqual([`ensure ${young.id}`])
})

test('a new data set that is unknown to a lagging node is not lost: its creation is rolled back only once the node has caught up', async () => {
  const [, young] = dataSets
  await rows.database.write((tx) => runSql(tx, 'update data_sets set final_at = null, landed_epoch = 1 where id = ?', young.id))
  deps.reads.liveness = async () => ({ live: false, reason: 'absent' })
  await handleDataSetGone(deps, young, 'unknown')
  for (let round = 0; round < 3; round++) {
    await deps.clock.advance(deps.pace.handlingMs)
    expect(await holdWrites(deps, (await findDataSet(rows.database.read, young.id)) ?? young)).toMatchObject({
      kind: 'wait',
      reason: 'data_set',
    })
    expect((await findDataSet(rows.database.read, young.id))?.state).toBe('ready')
  }
  deps.world.epoch = 50n
  expect(await holdWrites(deps, young)).toMatchObject({ reason: 'target_creating' })
  expect(await findDataSet(rows.database.read, young.id)).toMatchObject({ state: 'creating', chainId: null })
})

test('a copy that did not land in an ended data set is lost and its content stored again; other contents are left alone', async () => {
  const [, ended] = dataSets
  deps.world.isLive = false
  await handleDataSetGone(deps, ended, 'terminated')
  await finishEnd(deps, ended)
  expect(deps.published).toContainEqual({ topic: 'bucket_updated', payload: { bucket_name: 'photos' } })
  const late = await rows.addContent()
  const copyId = await rows.addCopy(late, ended, 'parked')
  deps.scheduled.length = 0
  await finishEnd(deps, ended)
  expect(await getRow(rows.database.read, 'select state from copies where id = ?', copyId)).toEqual({ state: 'lost' })
  expect(deps.scheduled).toEqual([`store ${late.contentId}`])
})
