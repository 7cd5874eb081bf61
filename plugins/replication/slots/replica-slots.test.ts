import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { allRows, runSql, watchStatements } from '#kernel/testing'
import type { ReplicaSlots } from '../contract.ts'
import type { PipelineContent } from '../copies/records/copy-store.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { openStorageRows, rowsNowMs, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { createReplicaSlots } from './replica-slots.ts'

let rows: StorageRows
let deps: TestPipeline
let slots: ReplicaSlots
/** The current data set of slot 0, at provider 1. */
let source: DataSet

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  slots = createReplicaSlots(deps)
  source = await rows.addDataSet()
})

afterEach(() => rows[Symbol.asyncDispose]())

const write = <T>(job: (tx: Tx) => Promise<T>): Promise<T> => rows.database.write(job)
const provider = (id: number) => ({
  providerId: String(id),
  address: '0x1' as const,
  payee: '0x2' as const,
  serviceUrl: `http://provider-${id}`,
  pieceBytesMax: 1_065_353_216,
})
const plan = (from = source.id, at = provider(9)) => write((tx) => slots.planNext(tx, { from, provider: at }))

/** The next generation, created on chain. */
async function addTarget(): Promise<DataSet> {
  const planned = await plan()
  if (!('id' in planned)) throw new Error(planned.refusal)
  await write((tx) => runSql(tx, `update data_sets set state = 'ready', chain_id = '999' where id = ?`, planned.id))
  return (await findDataSet(rows.database.read, planned.id)) as DataSet
}

const change = (from: number, to: number) => write((tx) => slots.switch(tx, { from, to }))
const progress = (to: DataSet) => slots.progress({ from: source.id, to: to.id })
const none = { total: 0, copied: 0, pending: 0, active: 0, retrying: 0, waitingForSource: 0, attention: 0, nextRetryAtMs: null }
const copiesOn = (dataSet: DataSet) =>
  allRows<{ contentId: number; state: string; slot: number }>(
    rows.database.read,
    'select content_id as "contentId", state, slot from copies where data_set_id = ? order by content_id',
    dataSet.id,
  )

/** The content has a copy on the target that no reorganisation can undo. */
async function settle(content: PipelineContent, target: DataSet, finalAt: number | null = rowsNowMs): Promise<void> {
  await write(async (tx) => {
    await runSql(
      tx,
      `insert into commit_batches (data_set_id, method, state, nonce, extra_data, final_at, created_at, updated_at)
       values (?, 'pull', 'confirmed', ?, '0x', ?, 0, 0)`,
      target.id,
      `${content.contentId}`,
      finalAt,
    )
    await runSql(
      tx,
      `update copies set state = 'committed', chain_piece_id = ?, batch_id = (select max(id) from commit_batches) where content_id = ? and data_set_id = ?`,
      `${content.contentId}`,
      content.contentId,
      target.id,
    )
  })
}

test('the next generation is planned at the chosen provider, and gets copies only after the switch', async () => {
  const content = await rows.addContent()
  await rows.addCopy(content, source, 'committed')
  const planned = await plan()
  expect(planned).toEqual({ id: expect.any(Number) })
  const { id } = planned as { id: number }
  expect(deps.scheduled).toEqual([`ensure ${id}`])
  const list = await slots.list(rows.database.read, 1)
  expect(list).toMatchObject([
    {
      slot: 0,
      currentId: source.id,
      generations: [
        { id: source.id, generation: 1 },
        { id, generation: 2, providerId: '9', state: 'planned' },
      ],
    },
  ])
  expect(await change(source.id, id)).toBe(false)
  expect(await write((tx) => slots.addCopies(tx, { dataSetId: id, contentIds: [content.contentId] }))).toBe(false)
})

test.each([
  ['not_current', () => plan(4711)],
  ['provider_in_use', () => plan(source.id, provider(1))],
  ['provider_too_small', () => plan(source.id, { ...provider(9), pieceBytesMax: 1000 })],
  ['next_planned', async () => [await plan(), await plan(source.id, provider(10))][1]],
  ['not_created', async () => plan((await rows.addDataSet({ state: 'planned' })).id)],
  [
    'bucket_deleted',
    async () => {
      await write((tx) => runSql(tx, 'update buckets set deleted_at = 1'))
      return plan()
    },
  ],
] as const)('a next generation is refused: %s', async (refusal, attempt) => {
  expect(await attempt()).toEqual({ refusal })
})

test('a target that is given up makes room for another one', async () => {
  const { id } = (await plan()) as { id: number }
  expect(await write((tx) => slots.requestEnd(tx, { dataSetId: id, cause: 'unused' }))).toBe(true)
  expect(deps.scheduled.at(-1)).toBe(`end ${id}`)
  expect(await plan(source.id, provider(10))).toEqual({ id: expect.any(Number) })
  expect(await slots.list(rows.database.read, 1)).toMatchObject([
    { generations: [{ endCause: null }, { id, endCause: 'unused' }, { providerId: '10', endCause: null }] },
  ])
})

test('I-48: of two switches of a slot one wins, and the other changes nothing', async () => {
  const target = await addTarget()
  expect(await Promise.all([change(source.id, target.id), change(source.id, target.id)])).toEqual([true, false])
  expect((await findDataSet(rows.database.read, source.id))?.state).toBe('write_blocked')
  expect(deps.scheduled.at(-1)).toBe(`commit ${source.id}`)
  for (const to of [source.id, target.id]) expect(await change(target.id, to)).toBe(false)
  expect((await findDataSet(rows.database.read, target.id))?.state).toBe('ready')
  expect(await slots.list(rows.database.read, 1)).toMatchObject([{ currentId: target.id }])
})

test('I-48: a slot passes only to a ready generation of its own that is kept', async () => {
  const other = await rows.addDataSet()
  expect(await change(source.id, other.id)).toBe(false)
  const target = await addTarget()
  await write((tx) => slots.requestEnd(tx, { dataSetId: target.id, cause: 'unused' }))
  expect(await change(source.id, target.id)).toBe(false)
  expect((await findDataSet(rows.database.read, source.id))?.state).toBe('ready')
})

test('copies are added once, and pulled from other slots or uploaded from the cache', async () => {
  const pulled = await rows.addContent()
  const uploaded = await rows.addContent()
  const other = await rows.addDataSet()
  for (const content of [pulled, uploaded]) await rows.addCopy(content, source, 'committed')
  await rows.addCopy(pulled, other, 'committed')
  const target = await addTarget()
  await change(source.id, target.id)
  const contentIds = await slots.contentsOf(rows.database.read, { dataSetId: source.id, after: 0, limit: 10 })
  expect(contentIds).toEqual([pulled.contentId, uploaded.contentId])
  deps.scheduled.length = 0
  for (let n = 0; n < 2; n++) expect(await write((tx) => slots.addCopies(tx, { dataSetId: target.id, contentIds }))).toBe(true)
  expect(deps.scheduled).toEqual([`pull ${target.id}`, `store ${uploaded.contentId}`, `pull ${target.id}`, `store ${uploaded.contentId}`])
  expect(await copiesOn(target)).toEqual(contentIds.map((contentId) => ({ contentId, state: 'planned', slot: 0 })))
  // The old generation is no source.
  expect(await progress(target)).toEqual({ ...none, total: 2, pending: 1, waitingForSource: 1 })
})

test('the contents of a data set are listed in pages, without those that have no versions', async () => {
  const contents = [await rows.addContent(), await rows.addContent(), await rows.addContent()]
  for (const content of contents) await rows.addCopy(content, source, 'committed')
  await write((tx) => runSql(tx, `update contents set state = 'deleting', ref_count = 0 where id = ?`, Number(contents[1]?.contentId)))
  const page = (after: number) => slots.contentsOf(rows.database.read, { dataSetId: source.id, after, limit: 1 })
  const [first] = await page(0)
  expect([first, ...(await page(Number(first)))]).toEqual([contents[0]?.contentId, contents[2]?.contentId])
})

test('each content is in one count of the progress', async () => {
  const states = ['planned', 'planned', 'transferring', 'batched', 'attention', 'committed'] as const
  const other = await rows.addDataSet()
  const contents: PipelineContent[] = []
  for (const _ of [...states, undefined]) {
    const content = await rows.addContent()
    contents.push(content)
    for (const dataSet of [source, other]) await rows.addCopy(content, dataSet, 'committed')
  }
  const target = await addTarget()
  await change(source.id, target.id)
  for (const [index, state] of states.entries()) await rows.addCopy(contents[index] as PipelineContent, target, state)
  const retryAtMs = rowsNowMs + 5000
  await write((tx) =>
    runSql(
      tx,
      'update copies set next_attempt_at = ? where data_set_id = ? and content_id = ?',
      retryAtMs,
      target.id,
      Number(contents[0]?.contentId),
    ),
  )
  expect(await progress(target)).toEqual({
    ...none,
    total: 7,
    copied: 1,
    pending: 2,
    active: 2,
    retrying: 1,
    attention: 1,
    nextRetryAtMs: retryAtMs,
  })
})

test('the progress of a move is counted once for callers of the same second', async () => {
  const target = await addTarget()
  const seen: string[] = []
  const counted = { ...rows.database, read: watchStatements(rows.database.read, (sql) => seen.push(sql)) }
  slots = createReplicaSlots({ ...deps, database: counted })
  expect(await Promise.all([progress(target), progress(target)])).toEqual([none, none])
  const statements = seen.length
  await rows.addCopy(await rows.addContent(), source, 'committed')
  expect([await progress(target), seen.length]).toEqual([none, statements])
  await deps.clock.advance(1000)
  expect(await progress(target)).toMatchObject({ total: 1 })
})

test('I-48: the end of a data set is blocked while it is current, or has a content without a final copy on its successor', async () => {
  const content = await rows.addContent()
  await rows.addCopy(content, source, 'committed')
  const blocked = () => slots.endBlockedBy(rows.database.read, source.id)
  expect(await write((tx) => slots.requestEnd(tx, { dataSetId: source.id, cause: 'replaced' }))).toBe(false)
  expect(await blocked()).toContain('current data set')
  const target = await addTarget()
  await change(source.id, target.id)
  expect(await blocked()).toContain('does not have all')
  await rows.addCopy(content, target, 'planned')
  expect(await blocked()).toContain('does not have all')
  await settle(content, target, null)
  expect(await blocked()).toContain('not final')
  await write((tx) => runSql(tx, 'update commit_batches set final_at = 1'))
  expect(await blocked()).toBeUndefined()
  await write((tx) => runSql(tx, `update data_sets set state = 'lost' where id = ?`, target.id))
  expect(await blocked()).toContain('not live')
  await write((tx) => runSql(tx, `update data_sets set state = 'ready' where id = ?`, target.id))
  await write((tx) =>
    runSql(
      tx,
      `insert into commit_batches (data_set_id, method, state, nonce, extra_data, created_at, updated_at) values (?, 'pull', 'uncertain', '77', '0x', 0, 0)`,
      source.id,
    ),
  )
  expect(await blocked()).toContain('transaction')
})
