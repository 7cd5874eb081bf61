import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allRows, getRow, runSql } from '#kernel/testing'
import type { ProviderClient } from '#plugins/providers'
import { ok } from '../../../providers/testing/index.ts'
import { flipByte } from '../../../storage/testing/flip-byte.ts'
import { beginEviction, pageOfEntries, updateReleasable } from '../../../storage/testing/rows.ts'
import { createPieceCalculator, type PieceCalculator } from '../../pieces/piece-calculator.ts'
import { checkInvariants } from '../../testing/check-invariants.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, waitOf } from '../../testing/test-pipeline.ts'
import { storeContent } from '../placing/store-content.ts'
import { copiesOf, type PipelineContent } from '../records/copy-store.ts'

const { signal } = new AbortController()
const bytes = randomBytes(1000)

let rows: StorageRows
let deps: TestPipeline
let pieces: PieceCalculator
let dir: string
let path: string
let content: PipelineContent
/** Piece CIDs that were sent to providers. */
let uploads: string[]

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  pieces = createPieceCalculator({ threads: 1 })
  Object.assign(deps, { pieces })
  dir = mkdtempSync(join(tmpdir(), 'svc-prove-'))
  path = join(dir, 'blob')
  writeFileSync(path, bytes)
  deps.world.cached = { path, size: bytes.length }
  content = await rows.addContent({ bytes, copies: 2 })
  await rows.database.write(async (tx) => {
    await runSql(
      tx,
      'insert into cache_entries (content_id, bytes, releasable, accessed_at, cached_at) values (?, 1000, 1, 0, 0)',
      content.contentId,
    )
    await runSql(
      tx,
      "insert into cache_blobs (blob_id, content_id, ordinal, length, epoch) values ('blob', ?, 0, 1000, 1)",
      content.contentId,
    )
    await runSql(tx, "update contents set durable_copies = 2, readable_copies = 2, store_state = 'stored'")
    await runSql(tx, 'update pieces set is_proven = 0')
  })
  for (let slot = 0; slot < 2; slot++) await rows.addCopy(content, await rows.addDataSet(), 'committed')
  uploads = []
  deps.providers.client = () =>
    ({
      async upload({ pieceCid }: Parameters<ProviderClient['upload']>[0]) {
        uploads.push(pieceCid)
        return ok({ alreadyStored: true })
      },
      findPiece: async () => ok({ isFound: true }),
    }) as unknown as ProviderClient
})

afterEach(async () => {
  await pieces[Symbol.asyncDispose]()
  await rows[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

const store = () => storeContent(deps, content.contentId, signal)
const states = async (contentId = content.contentId) => (await copiesOf(rows.database.read, contentId)).map(({ state }) => state)
const isReleasable = async () =>
  (await getRow<{ yes: number }>(rows.database.read, 'select releasable as yes from cache_entries'))?.yes === 1

/** Ignores reference counts: these contents have no versions. */
const broken = async () => (await checkInvariants(rows.database.read)).filter((problem) => !problem.includes('ref_count is not'))

test('I-30: copies of damaged bytes from an earlier version are removed, and the content is stored again', async () => {
  await rows.database.write((tx) => runSql(tx, "update pieces set piece_cid = 'of damaged bytes'"))
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'retry', forMs: 0 })
  expect(deps.scheduled).toEqual(['cleanup 1', 'cleanup 2'])
  const removals = await allRows(rows.database.read, 'select data_set_id, chain_piece_id, state from removals order by data_set_id')
  expect(removals).toEqual([
    { data_set_id: 1, chain_piece_id: '1', state: 'pending' },
    { data_set_id: 2, chain_piece_id: '2', state: 'pending' },
  ])
  expect([await states(), await isReleasable()]).toEqual([[], false])
  expect(await broken()).toEqual([])

  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual([content.pieceCid])
  expect(await states()).toEqual(['parked', 'planned'])
  expect(await broken()).toEqual([])
})

test('a piece CID from an earlier version is proven once, and its copies stay', async () => {
  await rows.database.write((tx) => runSql(tx, 'update cache_entries set releasable = 0'))
  expect(await store()).toEqual({ kind: 'done' })
  expect([uploads, await states(), await isReleasable()]).toEqual([[], ['committed', 'committed'], true])
  expect(deps.scheduled).toEqual(['reconcile capacity'])
  await store()
  expect(deps.scheduled).toEqual(['reconcile capacity'])
})

test('I-02: cached bytes of an unproven piece are not evicted until it is proven', async () => {
  const { contentId } = content
  await rows.database.write(async (tx) => {
    await deps.contents.awaitProof(tx, contentId)
    await deps.states.copies.recount(tx, [contentId])
    await updateReleasable(tx, contentId)
  })
  expect(await isReleasable()).toBe(false)
  expect((await pageOfEntries(rows.database.read, { bucketId: 1, after: 0, limit: 9 })).stale).toEqual([])
  await rows.database.write((tx) => runSql(tx, 'update cache_entries set releasable = 1'))
  expect(await rows.database.write((tx) => beginEviction(tx, contentId))).toBeUndefined()
  await store()
  expect(await rows.database.write((tx) => beginEviction(tx, contentId))).toHaveLength(1)
})

test('I-02: cached bytes that were held for a proof can be evicted after the content is stored again', async () => {
  await rows.database.write(async (tx) => {
    await runSql(tx, "update pieces set piece_cid = 'of damaged bytes'")
    await deps.contents.awaitProof(tx, content.contentId)
  })
  await store()
  await rows.database.write((tx) => runSql(tx, 'update contents set durable_copies = 2, readable_copies = 2'))
  expect(await rows.database.write((tx) => beginEviction(tx, content.contentId))).toBeUndefined()
  await rows.database.write((tx) => updateReleasable(tx, content.contentId))
  expect(await rows.database.write((tx) => beginEviction(tx, content.contentId))).toHaveLength(1)
})

test('damaged cached bytes prove nothing: the copies stay, and a second look decides about the cached file', async () => {
  await flipByte(path, 3)
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'retry', forMs: 0 })
  expect(await store()).toEqual({ kind: 'done' })
  expect(deps.scheduled).toEqual([`settle ${content.contentId}`])
  expect(await states()).toEqual(['committed', 'committed'])
})
