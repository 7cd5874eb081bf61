import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { getRow, runSql } from '#kernel/testing'
import { replaceInSlot } from '../../datasets/current-slot-store.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import type { CopyState } from '../../states/tables/copy-transitions-policy.ts'
import { openStorageRows, rowsNowMs, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../../testing/test-pipeline.ts'
import { nextPullAtMs, pullCandidates } from '../pulls/pull-store.ts'
import { copiesOf, findCopy, type PipelineContent, recordUpload } from './copy-store.ts'

let rows: StorageRows
let content: PipelineContent
let first: DataSet
let second: DataSet
let states: TestPipeline['states']

beforeEach(async () => {
  rows = await openStorageRows()
  content = await rows.addContent()
  first = await rows.addDataSet()
  second = await rows.addDataSet()
  states = createTestPipeline(rows).states
})

afterEach(() => rows[Symbol.asyncDispose]())

const write = <T>(job: (tx: Tx) => T) => rows.database.write(job)
const read = () => rows.database.read
const setback = { code: 'unreachable', message: 'no answer' }
const plan = (...dataSets: readonly DataSet[]) =>
  write((tx) => states.copies.plan(tx, { ...content, dataSetIds: dataSets.map(({ id }) => id) }))
const free = (id: number) => ({ ids: [id], batchId: null })
const beginUpload = (id: number) => write((tx) => states.copies.apply(tx, 'upload_begun', { ids: [id] }))
const startOver = (id: number, retryAtMs?: number) =>
  write((tx) => states.copies.apply(tx, 'upload_failed', free(id), { ...setback, ...(retryAtMs !== undefined && { retryAtMs }) }))
const recount = (tx: Tx) => states.copies.recount(tx, [content.contentId])

test('planning copies twice plans them once', async () => {
  for (let i = 0; i < 2; i++) await plan(first, second)
  expect(await copiesOf(read(), content.contentId)).toMatchObject([
    { dataSetId: first.id, slot: 0, state: 'planned', setbacks: 0 },
    { dataSetId: second.id, slot: 1, state: 'planned', setbacks: 0 },
  ])
})

test('I-29: a copy is planned by the current state of its data set, and only on the current data set of the slot', async () => {
  await write((tx) => runSql(tx, "update data_sets set state = 'write_blocked' where id = ?", first.id))
  const planned = await rows.addDataSet({ state: 'planned' })
  const { providerAddress, payee, serviceUrl, pieceBytesMax } = planned
  const place = { bucketId: 1, slot: planned.slot, providerId: '99', providerAddress, payee, serviceUrl }
  await write(async (tx) => {
    expect(await states.dataSets.apply(tx, 'replanned', planned.id, { message: 'dark' })).toBe(true)
    const to = await states.dataSets.plan(tx, { ...place, clientDataSetId: 99n, pieceBytesMax })
    await replaceInSlot(tx, { from: planned.id, to }, rowsNowMs)
  })
  await plan(first, second, planned)
  expect(await copiesOf(read(), content.contentId)).toMatchObject([
    { dataSetId: first.id, state: 'lost' },
    { dataSetId: second.id, state: 'planned' },
  ])
})

test('only one run uploads a copy', async () => {
  const id = await rows.addCopy(content, first)
  expect(await beginUpload(id)).toMatchObject([{ id }])
  expect(await beginUpload(id)).toEqual([])
})

test('an upload stays recorded until the copy starts over', async () => {
  const id = await rows.addCopy(content, first)
  await beginUpload(id)
  await write((tx) => recordUpload(tx, id, 5))
  expect(await findCopy(read(), id)).toMatchObject({ state: 'transferring', uploadedAtMs: 5 })
  await startOver(id, 7)
  expect(await findCopy(read(), id)).toMatchObject({ state: 'planned', uploadedAtMs: null, setbacks: 1, nextAttemptAtMs: 7 })
})

test('an interruption counts no setback and may be retried at once', async () => {
  const id = await rows.addCopy(content, first, 'transferring')
  await startOver(id)
  expect(await findCopy(read(), id)).toMatchObject({ state: 'planned', setbacks: 0, nextAttemptAtMs: 0 })
})

test.each(['unconfirmed', 'committed', 'removed'] as const)('a copy that is %s neither starts over nor is parked again', async (state) => {
  const id = await rows.addCopy(content, first, state)
  await startOver(id)
  await write((tx) => states.copies.apply(tx, 'stored', free(id)))
  expect((await findCopy(read(), id))?.state).toBe(state)
})

const candidates = (nowMs = rowsNowMs) => pullCandidates(read(), second.id, nowMs, 10)

test.each([
  ['planned', []],
  ['transferring', []],
  ['parked', ['http://provider-0']],
  ['unconfirmed', ['http://provider-0']],
  ['committed', ['http://provider-0']],
  ['lost', []],
  ['removed', []],
] as const)('a copy that is %s on another data set gives the sources %j', async (state, sources) => {
  await rows.addCopy(content, first, state)
  await rows.addCopy(content, second)
  expect((await candidates()).map(({ sourceUrl }) => sourceUrl)).toEqual(sources)
})

test('pulls prefer a committed source to a parked one', async () => {
  await rows.addCopy(content, first, 'parked')
  const third = await rows.addDataSet()
  await rows.addCopy(content, third, 'committed')
  await rows.addCopy(content, second)
  expect((await candidates()).map(({ sourceUrl }) => sourceUrl)).toEqual([third.serviceUrl])
})

test('nothing is pulled from a data set that was lost', async () => {
  await rows.addCopy(content, await rows.addDataSet({ state: 'lost' }), 'committed')
  await rows.addCopy(content, second)
  expect(await candidates()).toEqual([])
})

test('after a setback the next source is used', async () => {
  const third = await rows.addDataSet()
  for (const dataSet of [first, third]) await rows.addCopy(content, dataSet, 'committed')
  const id = await rows.addCopy(content, second)
  const seen = new Set<string | undefined>()
  for (let setbacks = 0; setbacks < 8; setbacks++) {
    seen.add((await candidates())[0]?.sourceUrl)
    await write((tx) => runSql(tx, "update copies set state = 'transferring' where id = ?", id))
    await startOver(id, 0)
  }
  expect(seen).toEqual(new Set([first.serviceUrl, third.serviceUrl]))
})

test('a copy with a setback is due at its retry time', async () => {
  await rows.addCopy(content, first, 'committed')
  const id = await rows.addCopy(content, second, 'transferring')
  await startOver(id, rowsNowMs + 500)
  expect(await candidates()).toEqual([])
  expect(await nextPullAtMs(read(), second.id, rowsNowMs)).toBe(rowsNowMs + 500)
  expect(await candidates(rowsNowMs + 500)).toHaveLength(1)
  expect(await nextPullAtMs(read(), second.id, rowsNowMs + 500)).toBeUndefined()
})

const counted: readonly (readonly [readonly CopyState[], number, string])[] = [
  [['planned', 'planned'], 0, 'storing'],
  [['committed', 'planned'], 1, 'storing'],
  [['committed', 'attention'], 1, 'storing'],
  [['committed', 'committed'], 2, 'stored'],
  [['committed', 'lost'], 1, 'storing'],
  [['failed', 'failed'], 0, 'failed'],
  [['failed', 'parked'], 0, 'storing'],
]

test.each(counted)('I-19: copies %j are %i durable ones, and the content is %s', async (states, durable, storeState) => {
  await rows.addCopy(content, first, states[0])
  await rows.addCopy(content, second, states[1])
  await write((tx) =>
    runSql(
      tx,
      `insert into cache_entries (content_id, state, bytes, accessed_at, cached_at) select id, 'present', size, 0, 0 from contents`,
    ),
  )
  await write(recount)
  expect(await getRow(read(), 'select durable_copies as durable, store_state as state from contents')).toEqual({
    durable,
    state: storeState,
  })
})

test('I-19: a copy on a lost data set is not durable', async () => {
  await rows.addCopy(content, first, 'committed')
  await rows.addCopy(content, await rows.addDataSet({ state: 'lost' }), 'committed')
  await write(recount)
  expect(await getRow(read(), 'select durable_copies as durable from contents')).toEqual({ durable: 1 })
})

test('I-02: cached bytes are releasable from the minimum of the bucket on, and not below it', async () => {
  await write((tx) =>
    runSql(tx, 'insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (?, 1, 0, 0)', content.contentId),
  )
  const releasable = async () => (await getRow<{ releasable: number }>(read(), 'select releasable from cache_entries'))?.releasable
  const ids = [await rows.addCopy(content, first, 'committed'), await rows.addCopy(content, second, 'planned')]
  await write(recount)
  expect(await releasable()).toBe(0)
  await write(async (tx) => {
    await runSql(tx, "update copies set state = 'committed', chain_piece_id = '2' where id = ?", ids[1] ?? 0)
    await recount(tx)
  })
  expect(await releasable()).toBe(1)
  await write(async (tx) => {
    await runSql(tx, "update copies set state = 'lost' where id = ?", ids[0] ?? 0)
    await recount(tx)
  })
  expect(await releasable()).toBe(0)
})
