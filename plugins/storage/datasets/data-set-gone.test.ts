import { afterEach, beforeEach, expect, test } from 'vitest'
import { beginEviction, updateReleasable } from '../cache/cache-store.ts'
import { commitPieces } from '../copies/commit-pieces.ts'
import { loseCopies, type PipelineContent, recountContent } from '../copies/copy-store.ts'
import { openStorageRows, rowsNowMs, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { finishEnd, handleDataSetGone, holdWrites } from './data-set-gone.ts'
import { type DataSet, findDataSet } from './data-set-store.ts'

const { signal } = new AbortController()
let rows: StorageRows
let doors: TestPipeline
let dataSets: readonly [DataSet, DataSet]
let content: PipelineContent

/** A content with its two copies on two data sets, and with cached bytes that may go. */
beforeEach(async () => {
  rows = await openStorageRows()
  doors = createTestPipeline(rows)
  dataSets = [await rows.addDataSet(), await rows.addDataSet()]
  content = await rows.addContent()
  for (const dataSet of dataSets) await rows.addCopy(content, dataSet, 'committed')
  await rows.database.write((tx) => {
    tx.run(`insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (?, 9, 0, 0)`, content.contentId)
    recountContent(tx, content.contentId, rowsNowMs)
  })
})

afterEach(() => rows[Symbol.asyncDispose]())

const releasable = () => rows.database.read.get<{ is: number }>('select releasable as "is" from cache_entries')?.is
const counted = () => rows.database.read.get('select durable_copies as durable, store_state as state from contents')

test('I-02: bytes whose copies a lost data set held are not let go by a later look, before they are counted anew', async () => {
  expect(releasable()).toBe(1)
  await rows.database.write((tx) => {
    loseCopies(tx, dataSets[1].id, rowsNowMs)
    updateReleasable(tx, content.contentId)
  })
  expect(releasable()).toBe(0)
  expect(await rows.database.write((tx) => beginEviction(tx, content.contentId))).toBeUndefined()
})

test('I-09: the count of what a lost data set held is ended by the commit task when a stop comes between', async () => {
  const [, lost] = dataSets
  doors.reads.liveness = async () => ({ live: false, reason: 'absent' })
  await handleDataSetGone(doors, lost, 'unknown')
  await doors.clock.advance(doors.pace.handlingMs)
  const { moved } = doors.uploadEvents
  doors.uploadEvents.moved = () => {
    throw new Error('the power went')
  }
  await expect(handleDataSetGone(doors, lost, 'unknown')).rejects.toThrow('the power went')
  doors.uploadEvents.moved = moved
  expect(findDataSet(rows.database.read, lost.id)?.state).toBe('lost')
  expect(doors.scheduled).toEqual([`commit ${lost.id}`])
  expect(counted()).toMatchObject({ state: 'stored' })

  expect(await commitPieces(doors, lost.id, signal)).toEqual({ kind: 'done' })
  expect(counted()).toEqual({ durable: 1, state: 'storing' })
  expect(doors.scheduled).toEqual([`commit ${lost.id}`, `store ${content.contentId}`])
  await commitPieces(doors, lost.id, signal)
  expect(doors.scheduled).toHaveLength(2)
})

test('a data set whose creation a reorganisation took back is not lost: its nonce decides, and its copies wait for it', async () => {
  const [, young] = dataSets
  await rows.database.write((tx) => tx.run('update data_sets set final_at = null, landed_epoch = 0 where id = ?', young.id))
  doors.reads.liveness = async () => ({ live: false, reason: 'absent' })
  expect(await handleDataSetGone(doors, young, 'unknown')).toMatchObject({ kind: 'wait', reason: 'target_creating' })
  expect(findDataSet(rows.database.read, young.id)).toMatchObject({ state: 'creating', chainId: null })
  expect(doors.scheduled).toEqual([`ensure ${young.id}`])
})

test('a young data set that a node behind its creation does not know is not lost: it goes back to its nonce once the node has caught up', async () => {
  const [, young] = dataSets
  await rows.database.write((tx) => tx.run('update data_sets set final_at = null, landed_epoch = 1 where id = ?', young.id))
  doors.reads.liveness = async () => ({ live: false, reason: 'absent' })
  await handleDataSetGone(doors, young, 'unknown')
  for (let round = 0; round < 3; round++) {
    await doors.clock.advance(doors.pace.handlingMs)
    expect(await holdWrites(doors, findDataSet(rows.database.read, young.id) ?? young)).toMatchObject({ kind: 'wait', reason: 'data_set' })
    expect(findDataSet(rows.database.read, young.id)?.state).toBe('ready')
  }
  doors.world.epoch = 50n
  expect(await holdWrites(doors, young)).toMatchObject({ reason: 'target_creating' })
  expect(findDataSet(rows.database.read, young.id)).toMatchObject({ state: 'creating', chainId: null })
})

test('what does not land in a data set that ended before is brought elsewhere, and the other contents are left alone', async () => {
  const [, ended] = dataSets
  doors.world.isLive = false
  await handleDataSetGone(doors, ended, 'terminated')
  const late = await rows.addContent()
  const copyId = await rows.addCopy(late, ended, 'parked')
  doors.scheduled.length = 0
  await finishEnd(doors, ended)
  expect(rows.database.read.get('select state from copies where id = ?', copyId)).toEqual({ state: 'lost' })
  expect(doors.scheduled).toEqual([`store ${late.contentId}`])
})
