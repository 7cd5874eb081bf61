import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { getRow, runSql } from '#kernel/testing'
import type { ProviderClient } from '#plugins/providers'
import { ok, sendBody } from '../../providers/testing/index.ts'
import { flipByte } from '../../storage/testing/flip-byte.ts'
import { restoreBytes } from '../copies/ingress/restore-bytes.ts'
import { storeContent } from '../copies/placing/store-content.ts'
import { copiesOf, type PipelineContent, pullSetbacksMax } from '../copies/records/copy-store.ts'
import { PieceCalculationError } from '../pieces/piece-calculation-error.ts'
import { createPieceCalculator, type PieceCalculator } from '../pieces/piece-calculator.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, waitOf } from '../testing/test-pipeline.ts'

const { signal } = new AbortController()
/** Above the size that is hashed without a thread. */
const bytes = randomBytes(20_000)

let rows: StorageRows
let deps: TestPipeline
let dir: string
let content: PipelineContent
let path: string
/** Service URLs that were sent a complete body. */
let received: string[]

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  dir = mkdtempSync(join(tmpdir(), 'svc-damaged-'))
  path = writeBlob('blob')
  deps.world.cached = { path, size: bytes.length }
  content = await rows.addContent({ bytes, copies: 2 })
  received = []
  deps.providers.client = (url) =>
    ({
      async upload({ body }: Parameters<ProviderClient['upload']>[0]) {
        await sendBody(body, new Writable({ write: (_block, _encoding, done) => done() }), () => {})
        received.push(url)
        return ok({ alreadyStored: true })
      },
      async uploadThenName({ body, nameOf }: Parameters<ProviderClient['uploadThenName']>[0]) {
        await sendBody(body, new Writable({ write: (_block, _encoding, done) => done() }), () => {})
        await nameOf()
        received.push(url)
        return ok({ alreadyStored: false })
      },
      findPiece: async () => ok({ isFound: true }),
    }) as unknown as ProviderClient
})

afterEach(async () => {
  await rows[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

function writeBlob(name: string): string {
  writeFileSync(join(dir, name), bytes)
  return join(dir, name)
}

const store = () => storeContent(deps, content.contentId, signal)
const states = async () => (await copiesOf(rows.database.read, content.contentId)).map(({ state }) => state)
const recordedCid = async () => (await getRow<{ cid: string | null }>(rows.database.read, 'select piece_cid as cid from pieces'))?.cid
const forgetCid = () => rows.database.write((tx) => runSql(tx, 'update pieces set piece_cid = null'))
const calculateWith = (pieces: Partial<PieceCalculator>) => Object.assign(deps, { pieces })

test('I-30: bytes damaged before their piece CID was computed are not uploaded; a new upload of the object repairs the content', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  await forgetCid()
  await using pieces = createPieceCalculator({ threads: 1 })
  calculateWith(pieces)
  await flipByte(path, 500)
  expect(await store()).toMatchObject({ kind: 'fail', code: 'content_damaged', retryable: true, message: expect.stringContaining(path) })
  expect([received, await recordedCid(), await states()]).toEqual([[], null, ['planned', 'planned']])
  expect(deps.scheduled).toEqual([`settle ${content.contentId}`])

  deps.world.cached = { path: writeBlob('new'), size: bytes.length }
  expect(await store()).toEqual({ kind: 'done' })
  expect([received, await recordedCid(), await states()]).toEqual([['http://provider-0'], content.pieceCid, ['parked', 'planned']])
})

test('I-30: bytes damaged after their piece CID was computed are not uploaded', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  await flipByte(path, 0)
  expect(await store()).toMatchObject({ kind: 'fail', code: 'content_damaged' })
  expect([received, await states()]).toEqual([[], ['planned', 'planned']])
  expect(deps.scheduled).toEqual([`settle ${content.contentId}`])
})

test('I-37: wrong bytes that the disk does not have fail this attempt only: the cached file stays, and the next one uploads it', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  deps.world.isTransient = true
  await flipByte(path, 0)
  await expect(store()).rejects.toMatchObject({ code: 'upload_source_damaged' })
  expect([received, await states()]).toEqual([[], ['planned', 'planned']])
  await flipByte(path, 0)
  expect(await store()).toEqual({ kind: 'done' })
  expect(received).toEqual(['http://provider-0'])
})

test('I-37: bytes that are known to be damaged are not uploaded: the store fails for an operator, with the next step', async () => {
  await rows.addDataSet()
  deps.world.isDamaged = true
  deps.world.cached = undefined
  const message = expect.stringContaining('restore the file that svc doctor names')
  expect(await store()).toMatchObject({ kind: 'fail', code: 'content_damaged', retryable: true, message })
  expect(received).toEqual([])
})

test('I-30: damaged bytes are not uploaded when a provider has the piece: the other copy is pulled from there', async () => {
  await rows.addCopy(content, await rows.addDataSet(), 'parked')
  const id = await rows.addCopy(content, await rows.addDataSet())
  await rows.database.write((tx) => runSql(tx, 'update copies set setbacks = ? where id = ?', pullSetbacksMax, id))
  await flipByte(path, 0)
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'retry', forMs: 0 })
  expect(await store()).toEqual({ kind: 'done' })
  expect(received).toEqual([])
  expect(deps.scheduled).toEqual([`settle ${content.contentId}`, 'pull 2'])
})

test('I-08: a file that a new upload replaces while it is read uses no attempt', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  await forgetCid()
  calculateWith({
    async calculate() {
      deps.world.cached = { path: writeBlob('new'), size: bytes.length }
      throw new PieceCalculationError('there is no file', { code: 'piece_source_missing' })
    },
  })
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'retry', forMs: 0 })
  expect(deps.scheduled).toEqual([])
})

test('a content that is deleted while its file is read needs no operator', async () => {
  await rows.addDataSet()
  await forgetCid()
  const deleteContent = async () => {
    deps.world.cached = undefined
    await rows.database.write((tx) => runSql(tx, "update contents set state = 'deleting', ref_count = 0"))
  }
  calculateWith({
    async calculate() {
      await deleteContent()
      throw new PieceCalculationError('there is no file', { code: 'piece_source_missing' })
    },
  })
  expect(await store()).toEqual({ kind: 'done' })
})

test('a content that is deleted before its file is found needs no operator', async () => {
  await rows.addDataSet()
  await forgetCid()
  const locate = async () => {
    await rows.database.write((tx) => runSql(tx, "update contents set state = 'deleting', ref_count = 0"))
    return undefined
  }
  Object.assign(deps.cached, { locate })
  expect(await store()).toEqual({ kind: 'done' })
})

test('a file that cannot be read uses an attempt', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  await forgetCid()
  const unreadable = new PieceCalculationError('EIO', { code: 'piece_source_unreadable' })
  calculateWith({ calculate: () => Promise.reject(unreadable) })
  await expect(store()).rejects.toBe(unreadable)
})

test('I-30: damaged bytes are not uploaded again to a provider that discarded them, and do not block other pieces', async () => {
  const other = await rows.addContent({ bytes: randomBytes(200) })
  const items = [content, other].map(({ contentId, pieceCid, size }) => ({ copyId: 1, contentId, pieceCid: pieceCid ?? '', length: size }))
  const right = await deps.cached.locate(content.contentId)
  const wrong = { size: bytes.length, segments: [{ path, size: bytes.length, sha256: '0'.repeat(64) }], blobId: 'wrong' }
  Object.assign(deps.cached, { locate: async (contentId: number) => (contentId === other.contentId ? wrong : right) })
  await restoreBytes(deps, 'http://provider-0', items.toReversed(), signal)
  expect(received).toEqual(['http://provider-0'])
  expect(deps.scheduled).toEqual([`settle ${other.contentId}`])
})

test('I-30: of a content of several files each is verified in the read that computes the piece CID and sends them', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  await forgetCid()
  await using pieces = createPieceCalculator({ threads: 1 })
  calculateWith(pieces)
  const parts = [bytes.subarray(0, 300), bytes.subarray(300)]
  const segments = parts.map((part, at) => {
    writeFileSync(join(dir, String(at)), part)
    return { path: join(dir, String(at)), size: part.length, sha256: createHash('sha256').update(part).digest('hex') }
  })
  const [first, second] = segments.map((segment) => segment.path)
  deps.world.cached = { path: first ?? '', size: bytes.length, segments }
  await rows.database.write((tx) => runSql(tx, 'update contents set sha256 = null'))
  await flipByte(second ?? '', 5)
  expect(await store()).toMatchObject({ kind: 'fail', code: 'content_damaged', message: expect.stringContaining(second ?? '') })
  expect([received, await recordedCid()]).toEqual([[], null])

  await flipByte(second ?? '', 5)
  deps.world.cached = { path: first ?? '', size: bytes.length, segments }
  expect(waitOf(await store(), deps.clock).reason).toBe('provider_storing')
  expect([received.length, await recordedCid()]).toEqual([1, content.pieceCid])
})
