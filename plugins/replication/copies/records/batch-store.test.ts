import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { allRows, getRow, runSql, watchStatements } from '#kernel/testing'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { openBatches } from '../../testing/open-batches.ts'
import { openStorageRows, rowsNowMs, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../../testing/test-pipeline.ts'
import { delayBatch } from './batch-step-store.ts'
import { type BatchItem, type CommitBatch, findOpenBatch, parkedCopies } from './batch-store.ts'

let rows: StorageRows
let dataSet: DataSet
let nonces: bigint
let batches: TestPipeline['states']['batches']

beforeEach(async () => {
  rows = await openStorageRows()
  dataSet = await rows.addDataSet()
  nonces = 0n
  batches = createTestPipeline(rows).states.batches
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
  write((tx) => batches.record(tx, { dataSetId: dataSet.id, method, nonce: ++nonces, extraData: '0x01', items }))

async function readyBatch(count = 2): Promise<CommitBatch> {
  await record(await park(count))
  const [batch] = await openBatches(rows.database.read, dataSet.id)
  if (!batch) throw new Error('no batch was recorded')
  return batch
}

const why = { message: 'because', nextCheckAtMs: rowsNowMs + 1 }
const submitted = { txHash: '0xab', nextCheckAtMs: rowsNowMs + 1 }
const land = (batch: CommitBatch, pieceIds: readonly bigint[]) =>
  write((tx) =>
    batches.land(tx, batch, {
      pieceIds,
      nextPieceId: pieceIds.length === 0 ? 0n : (pieceIds.at(-1) ?? 0n) + 1n,
      epoch: 1n,
      next: { checks: 1, atMs: 0 },
    }),
  )

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
  expect(await write((tx) => batches.apply(tx, 'recorded', id))).toBe(true)
  expect(await write((tx) => batches.apply(tx, 'recorded', id))).toBe(false)
})

test('pieces are committed in order, and their batch cannot be reopened', async () => {
  const batch = await readyBatch(3)
  await write((tx) => batches.apply(tx, 'recorded', batch.id))
  await write((tx) => batches.apply(tx, 'accepted', batch.id, submitted))
  await land(batch, [7n, 8n, 9n])
  expect(await allRows(rows.database.read, 'select chain_piece_id as piece, state from copies order by id')).toEqual(
    ['7', '8', '9'].map((piece) => ({ piece, state: 'committed' })),
  )
  expect(await openBatches(rows.database.read, dataSet.id)).toEqual([])
  await write((tx) => batches.apply(tx, 'reopened', batch.id, why))
  expect(await stateOf(batch.id)).toBe('confirmed')
})

test('copies show an uncertain outcome and attention, and a late confirmation ends both', async () => {
  const batch = await readyBatch(1)
  await write((tx) => batches.apply(tx, 'recorded', batch.id))
  await write((tx) => batches.apply(tx, 'uncertain', batch.id, why))
  expect(await copyStates()).toEqual(['unconfirmed'])
  await write((tx) => batches.callOperator(tx, batch, 'submission_unknown'))
  expect(await copyStates()).toEqual(['attention'])
  await land(batch, [0n])
  expect(await copyStates()).toEqual(['committed'])
})

test.each(['confirmed', 'closed'])('a batch that is %s needs no operator: a late report changes nothing', async (state) => {
  const { id } = await readyBatch(1)
  await write((tx) => runSql(tx, 'update commit_batches set state = ? where id = ?', state, id))
  expect(await write((tx) => batches.apply(tx, 'attention', id, { attention: 'chain_unreachable' }))).toBe(false)
  const reported = 'select attention_at as at, attention_code as code from commit_batches where id = ?'
  expect(await getRow(rows.database.read, reported, id)).toEqual({ at: null, code: null })
  expect(await copyStates()).toEqual(['batched'])
})

test('a reopened batch drops its transaction hash and keeps nonce and bytes', async () => {
  const batch = await readyBatch(1)
  await write((tx) => batches.apply(tx, 'recorded', batch.id))
  await write((tx) => batches.apply(tx, 'accepted', batch.id, submitted))
  expect(await write((tx) => batches.apply(tx, 'uncertain', batch.id, why))).toBe(false)
  await write((tx) => batches.apply(tx, 'reopened', batch.id, why))
  const [again] = await openBatches(rows.database.read, dataSet.id)
  expect(again).toMatchObject({ state: 'ready', txHash: null, submitStartedAtMs: null, nonce: batch.nonce, extraData: batch.extraData })
  expect(await copyStates()).toEqual(['batched'])
})

test.each(['submitting', 'submitted', 'uncertain', 'confirmed'])('I-05: a batch that is %s cannot be closed', async (state) => {
  const { id } = await readyBatch(1)
  await write((tx) => runSql(tx, 'update commit_batches set state = ? where id = ?', state, id))
  await write((tx) => batches.apply(tx, 'closed', id, why))
  expect(await stateOf(id)).toBe(state)
})

test('a batch can be delayed, with a reason, until it is sent', async () => {
  const { id } = await readyBatch(1)
  await write((tx) => delayBatch(tx, id, { reason: 'provider_busy', message: 'later', untilMs: 99 }))
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([
    { nextCheckAtMs: 99, reasonCode: 'provider_busy', lastError: 'later' },
  ])
  await write((tx) => batches.apply(tx, 'recorded', id))
  await write((tx) => delayBatch(tx, id, { reason: 'provider_busy', message: 'later', untilMs: 999 }))
  expect(await openBatches(rows.database.read, dataSet.id)).toMatchObject([{ nextCheckAtMs: 99, reasonCode: null }])
})

test('a pulled batch becomes ready with all its copies', async () => {
  const copyId = await rows.addCopy(await rows.addContent(), dataSet)
  const id = await record([{ copyId, contentId: 1, pieceCid: 'p', length: 200 }], 'pull')
  expect(await copyStates()).toEqual(['transferring'])
  await write((tx) => batches.apply(tx, 'pulled', id ?? 0))
  expect(await stateOf(id ?? 0)).toBe('ready')
  expect(await copyStates()).toEqual(['batched'])
})
