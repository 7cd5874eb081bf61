import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { runSql } from '#kernel/testing'
import { openStorageRows, rowsNowMs, type StorageRows } from '../testing/storage-rows.ts'
import { markReady, observeCreation, recordCreation, recordCreationTx, reopenCreation } from './creation-store.ts'
import { allDataSets, currentDataSets, findDataSet, markLost, markWriteBlocked, planDataSet } from './data-set-store.ts'
import { countLoad, holdsPieces, unfinishedContents } from './load-store.ts'

let rows: StorageRows

beforeEach(async () => {
  rows = await openStorageRows()
})

afterEach(() => rows[Symbol.asyncDispose]())

const write = <T>(job: (tx: Tx) => T) => rows.database.write(job)
const plan = (slot: number, providerId: string) =>
  write((tx) =>
    planDataSet(
      tx,
      {
        bucketId: 1,
        slot,
        providerId,
        providerAddress: '0x1',
        payee: '0x2',
        serviceUrl: 'http://p',
        clientDataSetId: BigInt(slot * 100) + BigInt(providerId),
        pieceBytesMax: 1_065_353_216,
      },
      rowsNowMs,
    ),
  )
const why = { message: 'because', nowMs: rowsNowMs }

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
  const attempt = { extraData: '0x0123', nowMs: 5 }
  expect(await write((tx) => recordCreation(tx, id, attempt))).toBe(true)
  expect(await write((tx) => recordCreation(tx, id, attempt))).toBe(false)
  expect(await findDataSet(rows.database.read, id)).toMatchObject({ state: 'creating', createExtraData: '0x0123', createStartedAtMs: 5 })
})

test('I-05: a creation that did not land keeps its bytes for the next attempt', async () => {
  const { id } = await rows.addDataSet({ state: 'planned' })
  await write((tx) => recordCreation(tx, id, { extraData: '0x0123', nowMs: 5 }))
  await write((tx) => recordCreationTx(tx, id, '0xab', 6))
  await write((tx) => observeCreation(tx, id, 4))
  await write((tx) => reopenCreation(tx, id, { code: 'not_landed', ...why }))
  expect(await findDataSet(rows.database.read, id)).toMatchObject({ state: 'planned', createExtraData: '0x0123', createTx: null })
  await write((tx) => recordCreation(tx, id, { extraData: '0x0123', nowMs: 9 }))
  expect(await findDataSet(rows.database.read, id)).toMatchObject({ state: 'creating', createSenderNonce: null })
})

test('only a data set under creation becomes ready', async () => {
  const planned = await rows.addDataSet({ state: 'planned' })
  await write((tx) => markReady(tx, planned.id, 7n, rowsNowMs))
  expect(await findDataSet(rows.database.read, planned.id)).toMatchObject({ state: 'planned', chainId: null })
  await write((tx) => recordCreation(tx, planned.id, { extraData: '0x01', nowMs: 5 }))
  await write((tx) => markReady(tx, planned.id, 7n, rowsNowMs))
  expect(await findDataSet(rows.database.read, planned.id)).toMatchObject({ state: 'ready', chainId: 7n })
})

test('a terminated data set is blocked for writes first, and may be lost afterwards', async () => {
  const { id } = await rows.addDataSet()
  await write((tx) => markWriteBlocked(tx, id, why))
  expect(await findDataSet(rows.database.read, id)).toMatchObject({ state: 'write_blocked', lastError: 'because' })
  await write((tx) => markLost(tx, id, why))
  await write((tx) => markWriteBlocked(tx, id, why))
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
