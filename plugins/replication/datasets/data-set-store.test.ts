import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { runSql } from '#kernel/testing'
import type { DataSetDetails } from '../states/data-set-state-store.ts'
import { unfinishedContents } from '../states/follow-store.ts'
import type { DataSetEventName } from '../states/tables/data-set-transitions-policy.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { observeCreation, recordCreationTx } from './creation-store.ts'
import { allDataSets, currentDataSets, findDataSet, planDataSet } from './data-set-store.ts'
import { countLoad, holdsPieces } from './load-store.ts'

let rows: StorageRows
let pipeline: TestPipeline

beforeEach(async () => {
  rows = await openStorageRows()
  pipeline = createTestPipeline(rows)
})

afterEach(() => rows[Symbol.asyncDispose]())

const write = <T>(job: (tx: Tx) => T) => rows.database.write(job)
const plan = (slot: number, providerId: string) =>
  write((tx) =>
    planDataSet(pipeline.states, tx, {
      bucketId: 1,
      slot,
      providerId,
      providerAddress: '0x1',
      payee: '0x2',
      serviceUrl: 'http://p',
      clientDataSetId: BigInt(slot * 100) + BigInt(providerId),
      pieceBytesMax: 1_065_353_216,
    }),
  )
const why = { message: 'because' }
const apply = (event: DataSetEventName, id: number, details?: DataSetDetails) =>
  write((tx) => pipeline.states.dataSets.apply(tx, event, id, details))

test('I-22: a slot gets one generation when several writers plan it', async () => {
  const ids = [await plan(0, '1'), await plan(0, '2')]
  expect(ids).toEqual([expect.any(Number), undefined])
  expect((await currentDataSets(rows.database.read, 1)).map(({ providerId }) => providerId)).toEqual(['1'])
})

test('a freed slot continues with its next generation', async () => {
  await plan(0, '1')
  await write(async (tx) => {
    await runSql(tx, "update data_sets set state = 'retired'")
    await runSql(tx, 'delete from replica_slots')
  })
  await plan(0, '2')
  await plan(1, '3')
  expect((await allDataSets(rows.database.read, 1)).map(({ slot, generation }) => [slot, generation])).toEqual([
    [0, 1],
    [0, 2],
    [1, 1],
  ])
})

test('I-22: a provider gets one live data set per bucket', async () => {
  await plan(0, '1')
  expect(await plan(1, '1')).toBeUndefined()
  await write((tx) => runSql(tx, "update data_sets set state = 'retired'"))
  expect(await plan(1, '1')).toEqual(expect.any(Number))
  expect((await allDataSets(rows.database.read, 1)).map(({ slot }) => slot)).toEqual([0, 1])
})

test('I-04: a creation is recorded with its bytes, once', async () => {
  const { id } = await rows.addDataSet({ state: 'planned' })
  const attempt = { extraData: '0x0123' }
  expect(await apply('creation_recorded', id, attempt)).toBe(true)
  expect(await apply('creation_recorded', id, attempt)).toBe(false)
  expect(await findDataSet(rows.database.read, id)).toMatchObject({
    state: 'creating',
    createExtraData: '0x0123',
    createStartedAtMs: pipeline.clock.now(),
  })
})

test('I-05: a creation that did not land keeps its bytes for the next attempt', async () => {
  const { id } = await rows.addDataSet({ state: 'planned' })
  await apply('creation_recorded', id, { extraData: '0x0123' })
  await write((tx) => recordCreationTx(tx, id, '0xab', 6))
  await write((tx) => observeCreation(tx, id, 4))
  await apply('creation_not_landed', id, { code: 'not_landed', ...why })
  expect(await findDataSet(rows.database.read, id)).toMatchObject({ state: 'planned', createExtraData: '0x0123', createTx: null })
  await apply('creation_recorded', id, { extraData: '0x0123' })
  expect(await findDataSet(rows.database.read, id)).toMatchObject({ state: 'creating', createSenderNonce: null })
})

test('only a data set under creation becomes ready', async () => {
  const planned = await rows.addDataSet({ state: 'planned' })
  await apply('created', planned.id, { chainId: 7n })
  expect(await findDataSet(rows.database.read, planned.id)).toMatchObject({ state: 'planned', chainId: null })
  await apply('creation_recorded', planned.id, { extraData: '0x01' })
  await apply('created', planned.id, { chainId: 7n })
  expect(await findDataSet(rows.database.read, planned.id)).toMatchObject({ state: 'ready', chainId: 7n })
})

test('a terminated data set is blocked for writes first, and may be lost afterwards', async () => {
  const { id } = await rows.addDataSet()
  await apply('terminated', id, why)
  expect(await findDataSet(rows.database.read, id)).toMatchObject({ state: 'write_blocked', lastError: 'because' })
  await apply('lost', id, why)
  await apply('terminated', id, why)
  expect((await findDataSet(rows.database.read, id))?.state).toBe('lost')
})

test('load counts live data sets by provider, and holdsPieces only committed pieces', async () => {
  const first = await rows.addDataSet({ providerId: '7' })
  await rows.addDataSet({ providerId: '8', state: 'abandoned' })
  expect(await countLoad(rows.database.read)).toEqual(new Map([['7', 1]]))
  await rows.addCopy(await rows.addContent({ bytes: Buffer.alloc(300) }), first, 'parked')
  expect(await holdsPieces(rows.database.read, first.id)).toBe(false)
  await rows.addCopy(await rows.addContent({ bytes: Buffer.alloc(200) }), first, 'committed')
  expect(await holdsPieces(rows.database.read, first.id)).toBe(true)
})

test('unfinished contents are live contents with missing copies, oldest first', async () => {
  for (let i = 0; i < 4; i++) await rows.addContent()
  await write(async (tx) => {
    await runSql(tx, "update contents set store_state = 'stored' where id = 1")
    await runSql(tx, "update contents set state = 'deleting', ref_count = 0 where id = 2")
  })
  expect(await unfinishedContents(rows.database.read, 1, 10)).toEqual([3, 4])
  expect(await unfinishedContents(rows.database.read, 1, 1)).toEqual([3])
})
