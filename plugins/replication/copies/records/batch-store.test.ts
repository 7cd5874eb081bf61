import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { allRows, getRow, runSql, watchStatements } from '#kernel/testing'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { openStorageRows, rowsNowMs, type StorageRows } from '../../testing/storage-rows.ts'
import { recordSubmission, recordSubmitted, recordUncertain, reopenSubmission } from '../batches/submission-store.ts'
import { closeBatch, confirmBatch, delayBatch, markPulled, raiseAttention } from './batch-step-store.ts'
import { type BatchItem, type CommitBatch, findOpenBatch, openBatches, parkedCopies, recordBatch } from './batch-store.ts'

let rows: StorageRows
let dataSet: DataSet
let nonces: bigint

beforeEach(async () => {
  rows = await openStorageRows()
  dataSet = await rows.addDataSet()
  nonces = 0n
})

afterEach(() => rows[Symbol.asyncDispose]())

const write = <T>(job: (tx: Tx) => T) => rows.database.write(job)
const copyStates = async () =>
  (await allRows<{ state: string }>(rows.database.read, 'select state from copies order by id')).map(({ state }) => state)
const stateOf = async (id: number) =>
  (await getRow<{ state: string }>(rows.database.read, 'select state from commit_batches where id = ?', id))?.state

async function park(count: number): Promise<readonly BatchItem[]> {
  for (let i = 0; i < count; i++) await rows.addCopy(await rows.addContent(), dataSet, 'parked')
  return await parkedCopies(rows.database.read, dataSet.id, 100)
}

const record = (items: readonly BatchItem[], method: 'store' | 'pull' = 'store') =>
  write((tx) => recordBatch(tx, { dataSetId: dataSet.id, method, nonce: ++nonces, extraData: '0x01', items, nowMs: rowsNowMs }))

async function readyBatch(count = 2): Promise<CommitBatch> {
  await record(await park(count))
  const [batch] = await openBatches(rows.database.read, dataSet.id)
  if (!batch) throw new Error('no batch was recorded')
  return batch
}

const why = { message: 'because', nowMs: rowsNowMs, nextCheckAtMs: rowsNowMs + 1 }
const submitted = { txHash: '0xab', nextCheckAtMs: rowsNowMs + 1, nowMs: rowsNowMs }

test('I-04: a batch keeps its nonce, its signed bytes and its pieces in order', async () => {
  const items = await park(3)
  await record(items.toReversed())
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([{ state: 'ready', nonce: 1n, extraData: '0x01' }])
  const [batch] = await openBatches(rows.database.read, dataSet.id)
  expect(batch?.items.map(({ copyId }) => copyId)).toEqual(items.map(({ copyId }) => copyId).toReversed())
  expect(await copyStates()).toEqual(['batched', 'batched', 'batched'])
})

test('items are read only of the batch that is used', async () => {
  const items = await park(3)
  await record(items.slice(0, 1))
  await record(items.slice(1))
  const seen: string[] = []
  const reader = watchStatements(rows.database.read, (sql) => seen.push(sql))
  expect(await findOpenBatch(reader, dataSet.id, ({ state }) => state === 'pulling')).toBeUndefined()
  expect(seen.filter((sql) => sql.includes('commit_items'))).toEqual([])
  const [, second] = await openBatches(rows.database.read, dataSet.id)
  expect(second?.items).toHaveLength(2)
  expect(await findOpenBatch(reader, dataSet.id, ({ id }) => id === second?.id)).toEqual(second)
})

test('I-25: a copy in an open batch cannot join another one, and nothing changes', async () => {
  const items = await park(2)
  await record(items.slice(0, 1))
  expect(await record(items)).toBeUndefined()
  expect(await openBatches(rows.database.read, dataSet.id)).toHaveLength(1)
  expect(await copyStates()).toEqual(['batched', 'parked'])
})

test('I-24: a nonce is recorded once', async () => {
  const items = await park(2)
  await record(items.slice(0, 1))
  nonces = 0n
  await expect(record(items.slice(1))).rejects.toThrow(/UNIQUE/i)
  expect(await copyStates()).toEqual(['batched', 'parked'])
})

test('an attempt is recorded by one run only', async () => {
  const { id } = await readyBatch()
  expect(await write((tx) => recordSubmission(tx, id, rowsNowMs))).toBe(true)
  expect(await write((tx) => recordSubmission(tx, id, rowsNowMs))).toBe(false)
})

test('pieces are committed in order, and their batch cannot be reopened', async () => {
  const batch = await readyBatch(3)
  await write((tx) => recordSubmission(tx, batch.id, rowsNowMs))
  await write((tx) => recordSubmitted(tx, batch.id, submitted))
  await write((tx) => confirmBatch(tx, batch.id, 7n, rowsNowMs))
  expect(await allRows(rows.database.read, 'select chain_piece_id as piece, state from copies order by id')).toEqual(
    ['7', '8', '9'].map((piece) => ({ piece, state: 'committed' })),
  )
  expect(await openBatches(rows.database.read, dataSet.id)).toEqual([])
  await write((tx) => reopenSubmission(tx, batch.id, why))
  expect(await stateOf(batch.id)).toBe('confirmed')
})

test('copies show an uncertain outcome and attention, and a late confirmation ends both', async () => {
  const batch = await readyBatch(1)
  await write((tx) => recordSubmission(tx, batch.id, rowsNowMs))
  await write((tx) => recordUncertain(tx, batch.id, why))
  expect(await copyStates()).toEqual(['unconfirmed'])
  await write((tx) => raiseAttention(tx, batch.id, 'submission_unknown', rowsNowMs))
  expect(await copyStates()).toEqual(['attention'])
  await write((tx) => confirmBatch(tx, batch.id, 0n, rowsNowMs))
  expect(await copyStates()).toEqual(['committed'])
})

test.each(['confirmed', 'closed'])('a batch that is %s needs no operator: a late report changes nothing', async (state) => {
  const { id } = await readyBatch(1)
  await write((tx) => runSql(tx, 'update commit_batches set state = ? where id = ?', state, id))
  expect(await write((tx) => raiseAttention(tx, id, 'chain_unreachable', rowsNowMs))).toBe(false)
  const reported = 'select attention_at as at, attention_code as code from commit_batches where id = ?'
  expect(await getRow(rows.database.read, reported, id)).toEqual({ at: null, code: null })
  expect(await copyStates()).toEqual(['batched'])
})

test('a reopened batch drops its transaction hash and keeps nonce and bytes', async () => {
  const batch = await readyBatch(1)
  await write((tx) => recordSubmission(tx, batch.id, rowsNowMs))
  await write((tx) => recordSubmitted(tx, batch.id, submitted))
  await write((tx) => recordUncertain(tx, batch.id, why))
  await write((tx) => reopenSubmission(tx, batch.id, why))
  const [again] = await openBatches(rows.database.read, dataSet.id)
  expect(again).toMatchObject({ state: 'ready', txHash: null, submitStartedAtMs: null, nonce: batch.nonce, extraData: batch.extraData })
  expect(await copyStates()).toEqual(['batched'])
})

test.each(['submitting', 'submitted', 'uncertain', 'confirmed'])('I-05: a batch that is %s cannot be closed', async (state) => {
  const { id } = await readyBatch(1)
  await write((tx) => runSql(tx, 'update commit_batches set state = ? where id = ?', state, id))
  await write((tx) => closeBatch(tx, id, why))
  expect(await stateOf(id)).toBe(state)
})

test('a batch can be delayed, with a reason, until it is sent', async () => {
  const { id } = await readyBatch(1)
  await write((tx) => delayBatch(tx, id, { reason: 'provider_busy', message: 'later', untilMs: 99 }))
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([
    { nextCheckAtMs: 99, reasonCode: 'provider_busy', lastError: 'later' },
  ])
  await write((tx) => recordSubmission(tx, id, rowsNowMs))
  await write((tx) => delayBatch(tx, id, { reason: 'provider_busy', message: 'later', untilMs: 999 }))
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([{ nextCheckAtMs: 99, reasonCode: null }])
})

test('a pulled batch becomes ready with all its copies', async () => {
  const copyId = await rows.addCopy(await rows.addContent(), dataSet)
  const id = await record([{ copyId, contentId: 1, pieceCid: 'p', length: 200 }], 'pull')
  expect(await copyStates()).toEqual(['transferring'])
  await write((tx) => markPulled(tx, id ?? 0, rowsNowMs))
  expect(await stateOf(id ?? 0)).toBe('ready')
  expect(await copyStates()).toEqual(['batched'])
})
