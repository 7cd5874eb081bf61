import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import { createContents, createKeepers } from '../../storage/testing/rows.ts'
import { pieceKeeper } from '../attach/attach.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline } from '../testing/test-pipeline.ts'
import { countBelowTarget } from './below-target-store.ts'
import { raiseCopies } from './raise-copies.ts'
import { deleteRaises, findRaise, newestRaise } from './raise-store.ts'
import { requestRaise } from './request-raise.ts'

const { signal } = new AbortController()
const bucket = { id: 1, name: 'photos', defaultCopies: 3 }
let rows: StorageRows
let deps: TestPipeline
let stored: number[]

beforeEach(async () => {
  rows = await openStorageRows()
  stored = []
  const queue = {
    add: async (_tx: unknown, _kind: unknown, { contentId }: { readonly contentId: number }) => stored.push(contentId),
    hasOpen: async () => false,
  }
  const contents = createContents(createKeepers(() => [{ item: pieceKeeper, services: { queue } }]))
  deps = { ...createTestPipeline(rows), contents }
})
afterEach(() => rows[Symbol.asyncDispose]())

const queued: number[] = []
const queue = { add: async (_tx: unknown, _kind: unknown, args: object) => queued.push((args as { raiseId: number }).raiseId) }
const request = (more: { readonly clientRequestId?: string; readonly targetCopies?: number; readonly bucket?: typeof bucket } = {}) =>
  requestRaise({ ...deps, queue: queue as never }, { bucket, clientRequestId: 'once', targetCopies: 3, ...more })
const sql = (text: string) => rows.database.write((tx) => runSql(tx, text))

/** Cached contents with this target that have all their copies. */
async function fill(from: number, count: number, target: number): Promise<void> {
  await sql(`with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${from + count - 1})
    insert into contents (id, bucket_id, identity, size, ref_count, target_copies, durable_copies, readable_copies, store_state, created_at, updated_at)
    select i, 1, i, 1000, 1, ${target}, ${target}, ${target}, 'stored', 0, 0 from n`)
  await sql(`insert into cache_entries (content_id, state, bytes, accessed_at, cached_at)
    select id, 'present', 1000, 0, 0 from contents where id between ${from} and ${from + count - 1}`)
}

const targets = () =>
  allRows(rows.database.read, 'select target_copies as target, count(*) as n from contents group by target_copies order by 1')
/** The copies that the raise asked for exist. */
const store = () => sql("update contents set store_state = 'stored', durable_copies = target_copies where store_state <> 'lost'")

test('contents with a lower target are raised to it in pages, each with its store task, and the raise ends with their copies', async () => {
  await fill(1, 450, 1)
  await fill(1001, 50, 3)
  const { id } = await request()
  expect(await raiseCopies(deps, id, signal)).toMatchObject({
    kind: 'wait',
    reason: 'copying',
    message: '450 contents of the bucket still lack copies',
  })
  expect(await targets()).toEqual([{ target: 3, n: 500 }])
  expect(stored).toEqual(Array.from({ length: 450 }, (_, n) => n + 1))
  expect(await findRaise(rows.database.read, id)).toMatchObject({ status: 'copying', contents: 450, copies: 900, bytes: 900_000 })
  await store()
  expect(await raiseCopies(deps, id, signal)).toEqual({ kind: 'done' })
  expect(await findRaise(rows.database.read, id)).toMatchObject({ status: 'completed', finishedAtMs: deps.clock.now() })
  expect(stored).toHaveLength(450)
})

test('a raise that was stopped continues after its last page, and counts no content twice', async () => {
  await fill(1, 450, 2)
  const { id } = await request()
  let pages = 0
  const stopping = new AbortController()
  const contents: typeof deps.contents = {
    ...deps.contents,
    raiseTargets: async (tx, page, nowMs) => {
      if (++pages === 2) stopping.abort(new Error('stopping'))
      return deps.contents.raiseTargets(tx, page, nowMs)
    },
  }
  await expect(raiseCopies({ ...deps, contents }, id, stopping.signal)).rejects.toThrow('stopping')
  expect(await findRaise(rows.database.read, id)).toMatchObject({ status: 'raising', contents: 400, raisedTo: 400 })
  await raiseCopies(deps, id, signal)
  expect(await findRaise(rows.database.read, id)).toMatchObject({ status: 'copying', contents: 450, copies: 450 })
  expect(new Set(stored).size).toBe(stored.length)
})

test('a raise rests while many contents of the bucket wait for their copies', async () => {
  await fill(1, 2500, 1)
  const { id } = await request()
  expect(await raiseCopies(deps, id, signal)).toMatchObject({ kind: 'wait', reason: 'copying' })
  expect(await findRaise(rows.database.read, id)).toMatchObject({ status: 'raising', contents: 2000 })
  await store()
  await raiseCopies(deps, id, signal)
  expect(await findRaise(rows.database.read, id)).toMatchObject({ status: 'copying', contents: 2500 })
})

test('lost, empty, deleted and later contents keep their targets, and a content that is not stored yet gets no second task', async () => {
  await fill(1, 5, 1)
  await sql("update contents set store_state = 'lost' where id = 1")
  await sql('update contents set size = 0 where id = 2')
  await sql("update contents set state = 'deleting', ref_count = 0 where id = 3")
  await sql("update contents set store_state = 'unstored', durable_copies = 0 where id = 4")
  const { id } = await request()
  await fill(6, 1, 1)
  await raiseCopies(deps, id, signal)
  expect(await targets()).toEqual([
    { target: 1, n: 4 },
    { target: 3, n: 2 },
  ])
  expect([stored, await findRaise(rows.database.read, id)]).toMatchObject([[5], { contents: 2 }])
})

test('an object of several pieces has the raised target when its parts have', async () => {
  await fill(1, 3, 1)
  await sql('update contents set hold_count = 1, ref_count = 0 where id > 1')
  await sql('update contents set part_count = 2 where id = 1')
  await raiseCopies(deps, (await request()).id, signal)
  expect([await targets(), stored]).toEqual([[{ target: 3, n: 3 }], [2, 3]])
})

test('the same request changes nothing, and a bucket has one raise at a time', async () => {
  await fill(1, 1, 1)
  const raise = await request()
  queued.length = 0
  expect(await request()).toEqual(raise)
  // It runs again if its task has ended.
  expect(queued).toEqual([raise.id])
  await expect(request({ clientRequestId: 'twice' })).rejects.toMatchObject({ code: 'copy_raise_unfinished' })
  await expect(request({ targetCopies: 2 })).rejects.toMatchObject({ code: 'copy_raise_idempotency_conflict' })
  await expect(request({ bucket: { ...bucket, id: 2 } })).rejects.toMatchObject({ code: 'copy_raise_idempotency_conflict' })
  await raiseCopies(deps, raise.id, signal)
  await store()
  await raiseCopies(deps, raise.id, signal)
  // The target of the bucket was raised again since.
  expect(await request({ bucket: { ...bucket, defaultCopies: 4 } })).toMatchObject({ id: raise.id, status: 'completed' })
  await expect(request({ clientRequestId: 'other', targetCopies: 2 })).rejects.toMatchObject({ code: 'copy_raise_target_changed' })
  expect(await request({ clientRequestId: 'twice' })).toMatchObject({ status: 'raising' })
})

test('the raises of a bucket are deleted with it, and their task ends', async () => {
  await fill(1, 1, 1)
  const { id } = await request()
  await rows.database.write((tx) => deleteRaises(tx, 1))
  expect(await newestRaise(rows.database.read, 1)).toBeUndefined()
  expect(await raiseCopies(deps, id, signal)).toEqual({ kind: 'done' })
  expect(await getRow(rows.database.read, 'select target_copies as n from contents')).toEqual({ n: 1 })
})

test('the preview counts what a raise changes, by former target, over all pages', async () => {
  await fill(1, 2500, 1)
  await fill(3001, 10, 2)
  await sql("update contents set store_state = 'lost' where id = 1")
  // 1,000 bytes are 32 leaves.
  const counted = await countBelowTarget(rows.database.read, 1, 3)
  expect(counted).toEqual([
    { targetCopies: 1, contents: 2499, bytes: 2_499_000n, leaves: 2499n * 32n },
    { targetCopies: 2, contents: 10, bytes: 10_000n, leaves: 320n },
  ])
  await raiseCopies(deps, (await request()).id, signal)
  await store()
  await raiseCopies(deps, (await newestRaise(rows.database.read, 1))?.id ?? 0, signal)
  expect(await countBelowTarget(rows.database.read, 1, 3)).toEqual([])
  expect(await countBelowTarget(rows.database.read, 2, 3)).toEqual([])
})
