import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { notSent, ok, uncertain } from '../chain/provider-answer.ts'
import type { ProviderClient } from '../chain/provider-client.ts'
import type { AvailableProvider } from '../datasets/providers.ts'
import { pauseWrites } from '../datasets/refusal-store.ts'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, waitOf } from '../testing/test-pipeline.ts'
import { copiesOf, type PipelineContent, pullSetbacksMax } from './copy-store.ts'
import { storeContent } from './store-content.ts'

const { signal } = new AbortController()
type Answer = Awaited<ReturnType<ProviderClient['upload']>>

const taken: Answer = ok({ alreadyStored: false })
const dark: Answer = notSent({ reason: 'unreachable', step: 'connect', detail: 'refused' })
const throttled: Answer = notSent({ reason: 'throttled', retryAfterMs: 60_000, detail: 'later' })
const lost: Answer = uncertain({ reason: 'connection_lost', detail: 'reset' })

let rows: StorageRows
let doors: TestPipeline
let dir: string
let content: PipelineContent
/** Service URLs that were sent the bytes. */
let uploads: string[]

beforeEach(async () => {
  rows = await openStorageRows()
  doors = createTestPipeline(rows)
  dir = mkdtempSync(join(tmpdir(), 'svc-store-'))
  const bytes = Buffer.alloc(300, 'x')
  writeFileSync(join(dir, 'blob'), bytes)
  doors.world.cached = { path: join(dir, 'blob'), size: bytes.length }
  content = await rows.addContent({ bytes, copies: 2 })
  uploads = []
})

afterEach(async () => {
  await rows[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

/** How each service URL answers an upload, and whether the piece is found there afterwards. */
function answer(byUrl: Readonly<Record<string, Answer>>, isFound = true): void {
  doors.providers.client = (url) =>
    ({
      upload: async () => {
        uploads.push(url)
        return byUrl[url] ?? taken
      },
      findPiece: async () => ok({ isFound }),
    }) as unknown as ProviderClient
}

const store = () => storeContent(doors, content.contentId, signal)
const states = () => copiesOf(rows.database.read, content.contentId).map(({ state }) => state)

const provider = (id: number): AvailableProvider => ({
  providerId: String(id),
  isEndorsed: true,
  latencyMs: 1,
  address: '0x1',
  payee: '0x2',
  serviceUrl: `http://provider-${id}`,
  name: `provider ${id}`,
})

test('the bytes go to one provider, and the others are told to pull', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({})
  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual(['http://provider-0'])
  expect(states()).toEqual(['parked', 'planned'])
  expect(doors.scheduled).toEqual(['commit 1', 'pull 2'])
})

test('without providers it waits for one', async () => {
  expect(waitOf(await store(), doors.clock).reason).toBe('provider')
  expect(states()).toEqual([])
})

test('data sets are planned once, and waited for', async () => {
  doors.world.available = [provider(1), provider(2), provider(3)]
  for (let round = 0; round < 2; round++) expect(waitOf(await store(), doors.clock).reason).toBe('data_set')
  expect(doors.scheduled).toEqual(['ensure 1', 'ensure 2'])
  expect(states()).toEqual(['planned', 'planned'])
})

test('a stored copy does not end the search while another has no provider', async () => {
  await rows.addDataSet()
  answer({})
  expect(waitOf(await store(), doors.clock).reason).toBe('provider')
  expect(states()).toEqual(['parked'])
  doors.world.available = [provider(7)]
  expect(await store()).toEqual({ kind: 'done' })
  expect(states()).toEqual(['parked', 'planned'])
})

test.each([
  ['is dark', dark],
  ['asks to come back later', throttled],
  ['breaks off', lost],
])('a provider that %s loses its turn at once', async (_what, first) => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({ 'http://provider-0': first })
  expect(waitOf(await store(), doors.clock).forMs).toBe(0)
  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual(['http://provider-0', 'http://provider-1'])
})

test('I-08: when every provider asks to come back later, none is asked before its time', async () => {
  await rows.addDataSet()
  answer({ 'http://provider-0': throttled })
  expect(waitOf(await store(), doors.clock)).toEqual({ reason: 'provider_busy', forMs: 60_000 })
  await doors.clock.advance(59_000)
  expect(waitOf(await store(), doors.clock)).toEqual({ reason: 'provider', forMs: 1000 })
  expect(uploads).toHaveLength(1)
  await doors.clock.advance(1000)
  answer({})
  await store()
  expect(states()).toEqual(['parked'])
})

test('an uploaded piece that is never found is tried elsewhere after the limit', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({}, false)
  expect(waitOf(await store(), doors.clock).reason).toBe('provider_storing')
  await doors.clock.advance(doors.pace.parkingLimitMs + 1)
  await expect(store()).rejects.toMatchObject({ code: 'never_parked' })
  await store()
  expect(uploads).toEqual(['http://provider-0', 'http://provider-1'])
})

test('a provider that goes dark with the bytes does not keep them from the next one', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({})
  const { client } = doors.providers
  doors.providers.client = (url) => ({ ...client(url), findPiece: async () => dark }) as ProviderClient
  expect(waitOf(await store(), doors.clock).reason).toBe('provider')
  await doors.clock.advance(doors.pace.parkingLimitMs + 1)
  expect(waitOf(await store(), doors.clock)).toEqual({ reason: 'provider', forMs: 0 })
  await store()
  expect(uploads).toEqual(['http://provider-0', 'http://provider-1'])
})

test('a copy that is being pulled is left to its pull', async () => {
  const first = await rows.addDataSet()
  const second = await rows.addDataSet()
  await rows.addCopy(content, first)
  const pulled = await rows.addCopy(content, second, 'transferring')
  await rows.database.write((tx) => tx.run('update copies set batch_id = 1 where id = ?', pulled))
  answer({})
  await store()
  expect(uploads).toEqual(['http://provider-0'])
  expect(copiesOf(rows.database.read, content.contentId).map(({ state, batchId }) => [state, batchId])).toEqual([
    ['parked', null],
    ['transferring', 1],
  ])
})

test('a copy that could not be pulled time after time is uploaded from the cache', async () => {
  await rows.addCopy(content, await rows.addDataSet(), 'parked')
  const id = await rows.addCopy(content, await rows.addDataSet())
  answer({})
  const setbacks = (count: number) => rows.database.write((tx) => tx.run('update copies set setbacks = ? where id = ?', count, id))
  await setbacks(pullSetbacksMax - 1)
  await store()
  expect(uploads).toEqual([])
  await setbacks(pullSetbacksMax)
  await store()
  expect(uploads).toEqual(['http://provider-1'])
  expect(states()).toEqual(['parked', 'parked'])
})

test('without cached bytes such a copy goes on waiting for its source', async () => {
  await rows.addCopy(content, await rows.addDataSet(), 'parked')
  const id = await rows.addCopy(content, await rows.addDataSet())
  await rows.database.write((tx) => tx.run('update copies set setbacks = ? where id = ?', pullSetbacksMax, id))
  doors.world.cached = undefined
  answer({})
  expect(await store()).toEqual({ kind: 'done' })
  expect(doors.scheduled).toEqual(['pull 2'])
})

test('content that is nowhere fails for an operator to retry', async () => {
  await rows.addDataSet()
  doors.world.cached = undefined
  answer({})
  expect(await store()).toMatchObject({ kind: 'fail', code: 'content_missing', retryable: true })
})

test('I-29: a copy on a data set that has ended is lost from the start and waits for no task', async () => {
  await rows.addDataSet({ state: 'write_blocked' })
  await rows.addDataSet()
  answer({})
  expect(await store()).toEqual({ kind: 'done' })
  expect(states()).toEqual(['lost', 'parked'])
  expect(uploads).toEqual(['http://provider-1'])
})

test('a data set that its provider refuses gets no upload while it is paused', async () => {
  const refused = await rows.addDataSet()
  answer({})
  await rows.database.write((tx) => pauseWrites(tx, refused.id, { untilMs: doors.clock.now() + 5000, message: 'unknown' }))
  doors.world.available = []
  expect(waitOf(await store(), doors.clock)).toEqual({ reason: 'provider', forMs: 5000 })
  expect(uploads).toEqual([])
})
