import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { getRow, insertRow, runSql, watchStatements } from '#kernel/testing'
import type { PipelineContent } from '../copies/records/copy-store.ts'
import type { DataSet } from '../datasets/data-set-store.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { statesOver } from '../testing/test-states.ts'
import { type CopyEventName, type CopyState, copyEvent, copyEvents, copyStates } from './tables/copy-transitions-policy.ts'
import { type DataSetEventName, dataSetEvent, dataSetEvents, dataSetStates } from './tables/data-set-transitions-policy.ts'

let rows: StorageRows
let pipeline: TestPipeline
let content: PipelineContent
let dataSet: DataSet

beforeEach(async () => {
  rows = await openStorageRows()
  pipeline = createTestPipeline(rows)
  content = await rows.addContent()
  dataSet = await rows.addDataSet()
})

afterEach(() => rows[Symbol.asyncDispose]())

const stateOf = async (tx: Tx, table: 'copies' | 'data_sets', id: number) =>
  (await getRow<{ state: string }>(tx, `select state from ${table} where id = ?`, id))?.state

async function insertBatchOf(tx: Tx, copyId: number): Promise<number> {
  const id = await insertRow(
    tx,
    `insert into commit_batches (data_set_id, method, state, nonce, extra_data, created_at, updated_at) values (?, 'store', 'closed', '1', '0x', 0, 0)`,
    dataSet.id,
  )
  await runSql(tx, `insert into commit_items (batch_id, ordinal, copy_id, piece_cid) values (?, 0, ?, 'p')`, id, copyId)
  return id
}

test('I-47: a copy takes exactly the events of its table, and keeps its state at every other one', async () => {
  const id = await rows.addCopy(content, dataSet)
  await rows.database.write(async (tx) => {
    const into = await insertBatchOf(tx, id)
    const details = { into, firstPieceId: 7n, code: 'code', message: 'why' }
    for (const name of Object.keys(copyEvents) as CopyEventName[]) {
      for (const state of copyStates) {
        const isTaken = copyEvent(name).from.includes(state)
        await runSql(tx, `update copies set state = ?, chain_piece_id = '7', batch_id = null where id = ?`, state, id)
        const changed = await pipeline.states.copies.apply(tx, name, { ids: [id] }, details)
        expect([name, state, changed.map((copy) => copy.state)]).toEqual([name, state, isTaken ? [state] : []])
        expect([name, state, await stateOf(tx, 'copies', id)]).toEqual([name, state, isTaken ? copyEvent(name).to : state])
      }
    }
  })
})

test('I-47: a data set takes exactly the events of its table, under their conditions', async () => {
  await rows.database.write(async (tx) => {
    const apply = async (name: DataSetEventName, state: string) => {
      await runSql(tx, `update data_sets set state = ?, chain_id = '101', create_offered_at = null where id = ?`, state, dataSet.id)
      const isTaken = await pipeline.states.dataSets.apply(tx, name, dataSet.id, { chainId: 101n, message: 'why' })
      return [isTaken, await stateOf(tx, 'data_sets', dataSet.id)]
    }
    for (const name of Object.keys(dataSetEvents) as DataSetEventName[]) {
      const { from, to, onlyIf } = dataSetEvent(name)
      for (const state of dataSetStates) {
        const isTaken = from.includes(state) && onlyIf !== 'ending_unknown'
        expect([name, state, ...(await apply(name, state))]).toEqual([name, state, isTaken, isTaken ? to : state])
      }
    }
    await runSql(
      tx,
      `insert into data_set_endings (data_set_id, state, path, requested_at, updated_at) values (?, 'pending', 'relay', 0, 0)`,
      dataSet.id,
    )
    for (const name of ['creation_recorded', 'replanned'] as const) expect(await apply(name, 'planned')).toEqual([false, 'planned'])
  })
})

test('I-47: thousands of copies that are lost with their data set take as many statements as a few', async () => {
  const lose = async (copies: number) => {
    const seen: string[] = []
    await rows.database.write(async (tx) => {
      await runSql(tx, 'delete from copies')
      await runSql(tx, 'delete from pieces')
      await runSql(tx, 'delete from contents')
      for (const [table, columns, values] of [
        ['contents', 'id, bucket_id, identity, size, ref_count, target_copies, created_at, updated_at', `n, 1, 'c' || n, 200, 1, 2, 0, 0`],
        ['pieces', 'id, content_id, part_no, offset_bytes, length', 'n, n, 0, 0, 200'],
        [
          'copies',
          'piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at',
          `n, n, ${dataSet.id}, 0, case n % 2 when 0 then 'committed' else 'parked' end, 'store', cast(n as text), 0, 0`,
        ],
      ] as const)
        await runSql(
          tx,
          `insert into ${table} (${columns}) with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${copies}) select ${values} from numbers`,
        )
      await runSql(tx, `update data_sets set state = 'ready' where id = ?`, dataSet.id)
      const watched = watchStatements(tx, (sql) => seen.push(sql))
      expect(await pipeline.states.dataSets.apply(watched, 'lost', dataSet.id, { message: 'gone' })).toBe(true)
      const left = await getRow<{ n: number }>(tx, `select count(*) as n from copies where state <> 'lost'`)
      expect(Number(left?.n)).toBe(0)
    })
    return seen.length
  }
  expect(await lose(4000)).toBe(await lose(4))
})

const called: readonly (readonly [CopyEventName, CopyState, readonly string[]])[] = [
  ['attention', 'unconfirmed', ['needs_attention']],
  ['committed', 'attention', ['cleared']],
  ['committed', 'unconfirmed', []],
  ['withdrawn_gone', 'attention', ['cleared']],
]

test.each(called)('an operator hears of %s of a copy that is %s: %j', async (event, state, told) => {
  const id = await rows.addCopy(content, dataSet, state)
  await rows.database.write(async (tx) => {
    const into = await insertBatchOf(tx, id)
    await pipeline.states.copies.apply(tx, event, { ids: [id] }, { into, firstPieceId: 7n, code: 'code', message: 'why' })
  })
  const confirmations = pipeline.published.filter(({ topic }) => topic === 'storage_confirmation_updated')
  expect(confirmations.map(({ payload }) => (payload as { readonly state: string }).state)).toEqual(told)
})

test('copies that land are counted with their bytes, once their transaction is committed', async () => {
  const counted: (readonly [copies: number, bytes: number])[] = []
  const { copies } = statesOver({ ...pipeline, committed: { add: (...counts: [number, number]) => void counted.push(counts) } })
  const id = await rows.addCopy(await rows.addContent({ bytes: Buffer.alloc(200) }), dataSet)
  const into = await rows.database.write(async (tx) => {
    await runSql(tx, `update copies set state = 'batched' where id = ?`, id)
    return insertBatchOf(tx, id)
  })
  const land = (tx: Tx) => copies.apply(tx, 'committed', { ids: [id] }, { into, firstPieceId: 7n })
  const refused = rows.database.write(async (tx) => {
    await land(tx)
    throw new Error('no')
  })
  await expect(refused).rejects.toThrow('no')
  expect(counted).toEqual([])
  await rows.database.write(land)
  // It is committed: the event happens to none.
  await rows.database.write(land)
  expect(counted).toEqual([[1, 200]])
})
