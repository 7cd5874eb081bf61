import { hash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { getRow, runSql } from '#kernel/testing'
import type { ProviderClient } from '#plugins/providers'
import { bodyBytes, notSent, ok, uncertain } from '../../../providers/testing/index.ts'
import { createPieceCalculator, type PieceCalculator } from '../../pieces/piece-calculator.ts'
import { pieceOf } from '../../pieces/testing/piece-of.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, waitOf } from '../../testing/test-pipeline.ts'
import { copiesOf, type PipelineContent } from '../records/copy-store.ts'
import { storeContent } from './store-content.ts'

const { signal } = new AbortController()
const parts = [randomBytes(3000), randomBytes(2000)]
const bytes = Buffer.concat(parts)
const { pieceCid } = pieceOf(bytes)

type Sent = ProviderClient['uploadThenName']
type Named = ProviderClient['upload']

let rows: StorageRows
let deps: TestPipeline
let pieces: PieceCalculator
let dir: string
let content: PipelineContent

beforeEach(async () => {
  rows = await openStorageRows()
  pieces = createPieceCalculator({ threads: 1 })
  deps = Object.assign(createTestPipeline(rows), { pieces })
  dir = mkdtempSync(join(tmpdir(), 'svc-named-'))
  const segments = parts.map((part, at) => {
    const path = join(dir, String(at))
    writeFileSync(path, part)
    return { path, size: part.length, sha256: hash('sha256', part) }
  })
  deps.world.cached = { path: join(dir, '0'), size: bytes.length, segments }
  content = await rows.addContent({ bytes, copies: 1 })
  await rows.database.write((tx) => runSql(tx, 'update pieces set piece_cid = null'))
  await rows.addDataSet()
})

afterEach(async () => {
  await pieces[Symbol.asyncDispose]()
  await rows[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

function answerWith(client: { readonly uploadThenName: Sent; readonly upload?: Named }): void {
  deps.providers.client = () => ({ findPiece: async () => ok({ isFound: true }), ...client }) as unknown as ProviderClient
}

const store = () => storeContent(deps, content.contentId, signal)
const states = async () => (await copiesOf(rows.database.read, content.contentId)).map(({ state }) => state)
const recordedCid = async () => (await getRow<{ cid: string | null }>(rows.database.read, 'select piece_cid as cid from pieces'))?.cid

test('I-30: the piece CID is recorded when the provider has the bytes, before the provider gets it', async () => {
  const seen: unknown[] = []
  answerWith({
    async uploadThenName({ body, nameOf }) {
      seen.push(await states(), await recordedCid(), (await bodyBytes(body)).equals(bytes), await recordedCid())
      seen.push(await nameOf(), await recordedCid())
      return ok({ alreadyStored: false })
    },
  })
  expect(waitOf(await store(), deps.clock).reason).toBe('provider_storing')
  expect(seen).toEqual([['transferring'], null, true, null, pieceCid, pieceCid])
  expect(deps.scheduled).toEqual(['park 1'])
})

test('after a lost answer the next run asks for the piece by its CID, and sends nothing again', async () => {
  const named: string[] = []
  answerWith({
    async uploadThenName({ body, nameOf }) {
      await bodyBytes(body)
      await nameOf()
      return uncertain({ reason: 'connection_lost', detail: 'reset' })
    },
    async upload(call) {
      named.push(call.pieceCid)
      return ok({ alreadyStored: true })
    },
  })
  expect(waitOf(await store(), deps.clock).reason).toBe('provider')
  expect([await states(), await recordedCid()]).toEqual([['planned'], pieceCid])
  await deps.clock.advance(deps.pace.providerMs)
  expect(await store()).toEqual({ kind: 'done' })
  expect([named, await states()]).toEqual([[pieceCid], ['parked']])
})

test('a provider without sessions that are named at the end gets the piece CID first, in the same run', async () => {
  answerWith({
    uploadThenName: async () => notSent({ reason: 'unsupported', detail: '404 page not found' }),
    async upload(call) {
      expect([call.pieceCid, await recordedCid()]).toEqual([pieceCid, pieceCid])
      expect((await bodyBytes(call.body)).equals(bytes)).toBe(true)
      return ok({ alreadyStored: false })
    },
  })
  expect(waitOf(await store(), deps.clock).reason).toBe('provider_storing')
})

test('a provider that takes the upload before all bytes were sent gets no name, and the bytes are sent again', async () => {
  let uploads = 0
  answerWith({
    async uploadThenName({ nameOf, body }) {
      uploads++
      if (uploads > 1) await bodyBytes(body)
      return (await nameOf()) === undefined ? uncertain({ reason: 'timeout', detail: 'none' }) : ok({ alreadyStored: false })
    },
  })
  await store()
  expect([await states(), await recordedCid()]).toEqual([['planned'], null])
  await deps.clock.advance(deps.pace.providerMs)
  expect(waitOf(await store(), deps.clock).reason).toBe('provider_storing')
  expect([uploads, await recordedCid()]).toEqual([2, pieceCid])
})

test('an upload that a crash ended before the piece CID was known starts over', async () => {
  const crashed = Promise.withResolvers<never>()
  answerWith({ uploadThenName: () => crashed.promise })
  const run = store()
  await expect.poll(states).toEqual(['transferring'])
  // The first run never continues.
  answerWith({
    async uploadThenName({ body, nameOf }) {
      await bodyBytes(body)
      await nameOf()
      return ok({ alreadyStored: false })
    },
  })
  expect(waitOf(await store(), deps.clock).reason).toBe('interrupted')
  expect(waitOf(await store(), deps.clock).reason).toBe('provider_storing')
  expect(await recordedCid()).toBe(pieceCid)
  crashed.reject(new Error('the end of the test'))
  await expect(run).rejects.toThrow('the end of the test')
})
