import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { insertRow, runSql } from '#kernel/testing'
import type { AvailableProvider, ProviderClient } from '#plugins/providers'
import { notSent, ok, uncertain } from '../../../providers/testing/index.ts'
import { findDataSet, setPieceBytesMax } from '../../datasets/data-set-store.ts'
import { pauseWrites } from '../../datasets/refusal-store.ts'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { createTestPipeline, type TestPipeline, waitOf } from '../../testing/test-pipeline.ts'
import { copiesOf, type PipelineContent, pullSetbacksMax } from '../records/copy-store.ts'
import { storeContent } from './store-content.ts'

const { signal } = new AbortController()
type Answer = Awaited<ReturnType<ProviderClient['upload']>>

/** The piece is looked up in the same run. */
const taken: Answer = ok({ alreadyStored: true })
const unreachable: Answer = notSent({ reason: 'unreachable', step: 'connect', detail: 'refused' })
const throttled: Answer = notSent({ reason: 'throttled', retryAfterMs: 60_000, detail: 'later' })
const lost: Answer = uncertain({ reason: 'connection_lost', detail: 'reset' })

let rows: StorageRows
let deps: TestPipeline
let dir: string
let content: PipelineContent
/** Service URLs of the uploads. */
let uploads: string[]

beforeEach(async () => {
  rows = await openStorageRows()
  deps = createTestPipeline(rows)
  dir = mkdtempSync(join(tmpdir(), 'svc-store-'))
  const bytes = Buffer.alloc(300, 'x')
  writeFileSync(join(dir, 'blob'), bytes)
  deps.world.cached = { path: join(dir, 'blob'), size: bytes.length }
  content = await rows.addContent({ bytes, copies: 2 })
  uploads = []
})

afterEach(async () => {
  await rows[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

/** How each service URL answers an upload, and whether the piece is found there afterwards. */
function answer(byUrl: Readonly<Record<string, Answer>>, isFound = true): void {
  deps.providers.client = (url) =>
    ({
      upload: async () => {
        uploads.push(url)
        return byUrl[url] ?? taken
      },
      findPiece: async () => ok({ isFound }),
    }) as unknown as ProviderClient
}

const store = () => storeContent(deps, content.contentId, signal)
const states = async () => (await copiesOf(rows.database.read, content.contentId)).map(({ state }) => state)

const provider = (id: number, pieceBytesMax = 1_065_353_216): AvailableProvider => ({
  providerId: String(id),
  isEndorsed: true,
  latencyMs: 1,
  address: '0x1',
  payee: '0x2',
  serviceUrl: `http://provider-${id}`,
  pieceBytesMax,
  name: `provider ${id}`,
})

test('the bytes are uploaded to one provider, and the others pull', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({})
  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual(['http://provider-0'])
  expect(await states()).toEqual(['parked', 'planned'])
  expect(deps.scheduled).toEqual(['park 1', 'commit 1', 'pull 2'])
})

test('without providers the task waits for one', async () => {
  expect(waitOf(await store(), deps.clock).reason).toBe('provider')
  expect(await states()).toEqual([])
})

test('data sets are planned once, and the task waits for them', async () => {
  deps.world.available = [provider(1), provider(2), provider(3)]
  for (let round = 0; round < 2; round++) expect(waitOf(await store(), deps.clock).reason).toBe('data_set')
  expect(deps.scheduled).toEqual(['ensure 1', 'ensure 2'])
  expect(await states()).toEqual(['planned', 'planned'])
})

test('a provider with a smaller maximum keeps its pieces, and a larger object gets another provider', async () => {
  content = await rows.addContent({ bytes: Buffer.alloc(200, 'x'), copies: 2 })
  deps.world.available = [provider(1, 250), provider(2, 300)]
  expect(waitOf(await store(), deps.clock).reason).toBe('data_set')
  const slots = async () => (await copiesOf(rows.database.read, content.contentId)).map(({ slot }) => slot)
  expect(await slots()).toEqual([0, 1])
  content = await rows.addContent({ bytes: Buffer.alloc(300, 'y'), copies: 2 })
  expect(await store()).toMatchObject({ kind: 'wait', reason: 'data_set' })
  expect(await slots()).toEqual([0])
  deps.world.available = [...deps.world.available, provider(3, 299), provider(4)]
  await store()
  expect(await slots()).toEqual([0, 2])
  expect(deps.scheduled.filter((entry) => entry.startsWith('ensure'))).toEqual(['ensure 1', 'ensure 2', 'ensure 3'])
  expect(await findDataSet(rows.database.read, 3)).toMatchObject({ providerId: '4', pieceBytesMax: 1_065_353_216 })
})

test('an object above every registered maximum waits; a raised maximum makes the existing slot usable without exceeding the target', async () => {
  deps.world.available = [provider(1, 250), provider(2, 250)]
  expect(await store()).toMatchObject({ kind: 'wait', reason: 'provider', message: expect.stringContaining('a piece of 300 bytes') })
  content = await rows.addContent({ bytes: Buffer.alloc(200, 'x'), copies: 2 })
  await store()
  content = await rows.addContent({ bytes: Buffer.alloc(300, 'y'), copies: 2 })
  deps.world.available = [provider(1, 250), provider(2, 250), provider(3), provider(4)]
  await store()
  const slots = async () => (await copiesOf(rows.database.read, content.contentId)).map(({ slot }) => slot)
  expect(await slots()).toEqual([2, 3])
  await rows.database.write((tx) => setPieceBytesMax(tx, 1, provider(1)))
  await store()
  expect(await slots()).toEqual([2, 3])
  content = await rows.addContent({ bytes: Buffer.alloc(300, 'z'), copies: 5 })
  deps.world.available = [provider(1), provider(2), provider(3), provider(4)]
  await store()
  expect(await slots()).toEqual([0, 1, 2, 3])
})

test('the task continues to look for providers while a copy has none', async () => {
  await rows.addDataSet()
  answer({})
  expect(waitOf(await store(), deps.clock).reason).toBe('provider')
  expect(await states()).toEqual(['parked'])
  deps.world.available = [provider(7)]
  expect(await store()).toEqual({ kind: 'done' })
  expect(await states()).toEqual(['parked', 'planned'])
})

test.each([
  ['is unreachable', unreachable],
  ['answers 429', throttled],
  ['breaks off', lost],
])('after a provider that %s the next one is tried at once', async (_what, first) => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({ 'http://provider-0': first })
  expect(waitOf(await store(), deps.clock).forMs).toBe(0)
  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual(['http://provider-0', 'http://provider-1'])
})

/** Holds this many slots of the provider. */
const occupy = (serviceUrl: string, slots = 4) => Array.from({ length: slots }, () => deps.providers.turns.take(serviceUrl, 'store'))
/** Three calls to the provider without an answer. */
function makeUnresponsive(serviceUrl: string, lane: 'store' | 'mutation' = 'store'): void {
  for (let call = 0; call < 3; call++) {
    using turn = deps.providers.turns.take(serviceUrl, lane)
    turn.record(uncertain({ reason: 'timeout', detail: 'late' }))
  }
}

test('I-32: a provider that holds its share of the slots is skipped', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({})
  occupy('http://provider-0')
  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual(['http://provider-1'])
})

test('I-32: when all providers hold their share the task waits without an attempt, and a free slot notifies it', async () => {
  await rows.addDataSet()
  answer({})
  const held = occupy('http://provider-0')
  expect(waitOf(await store(), deps.clock).reason).toBe('provider_busy')
  expect([await states(), uploads, deps.scheduled]).toEqual([['planned'], [], []])
  held[0]?.[Symbol.dispose]()
  await rows.database.write(() => undefined)
  expect(deps.scheduled).toEqual([`store ${content.contentId}`])
  expect(await store()).toMatchObject({
    kind: 'wait',
    message: '1 of 2 copies have a provider; more providers that take a piece of 300 bytes are needed',
  })
  expect(uploads).toEqual(['http://provider-0'])
})

test('new contents skip a provider that does not answer, and its copy counts no setback', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({})
  makeUnresponsive('http://provider-0')
  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual(['http://provider-1'])
  expect((await copiesOf(rows.database.read, content.contentId)).map(({ setbacks }) => setbacks)).toEqual([0, 0])
})

test('I-08: a content whose only provider does not answer waits for the next probe, which uploads it', async () => {
  await rows.addDataSet()
  answer({})
  makeUnresponsive('http://provider-0')
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'provider', forMs: deps.pace.epochMs })
  expect(uploads).toEqual([])
  await deps.clock.advance(deps.pace.epochMs)
  await store()
  expect(await states()).toEqual(['parked'])
})

test('I-08: provider_down_6h: while the only provider is unreachable for six hours the task waits without an attempt, then it uploads', async () => {
  await rows.addDataSet()
  answer({ 'http://provider-0': unreachable })
  const upMs = deps.clock.now() + 6 * 3_600_000
  while (deps.clock.now() < upMs) {
    const { reason, forMs } = waitOf(await store(), deps.clock)
    expect(reason).toBe('provider')
    expect(forMs).toBeLessThanOrEqual(16 * deps.pace.epochMs)
    await deps.clock.advance(5 * 60_000)
  }
  expect(await states()).toEqual(['planned'])
  answer({})
  expect(await store()).toMatchObject({ kind: 'wait', reason: 'provider' })
  expect(await states()).toEqual(['parked'])
})

test('after three uploads without an answer no more are sent', async () => {
  await rows.addDataSet()
  answer({ 'http://provider-0': uncertain({ reason: 'timeout', detail: 'late' }) })
  for (let run = 0; run < 6; run++) {
    await store()
    await rows.database.write((tx) => runSql(tx, 'update copies set next_attempt_at = 0'))
  }
  expect(uploads).toHaveLength(3)
})

test('I-08: when every provider answers 429, none gets an upload before its Retry-After', async () => {
  await rows.addDataSet()
  answer({ 'http://provider-0': throttled })
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'provider_busy', forMs: 60_000 })
  await deps.clock.advance(59_000)
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'provider', forMs: 1000 })
  expect(uploads).toHaveLength(1)
  await deps.clock.advance(1000)
  answer({})
  await store()
  expect(await states()).toEqual(['parked'])
})

test('an uploaded piece that is never found is uploaded to another provider after the limit', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({}, false)
  expect(waitOf(await store(), deps.clock).reason).toBe('provider_storing')
  await deps.clock.advance(deps.pace.parkingLimitMs + 1)
  await expect(store()).rejects.toMatchObject({ code: 'never_parked' })
  await store()
  expect(uploads).toEqual(['http://provider-0', 'http://provider-1'])
})

test('when a provider becomes unreachable after the upload, the bytes go to the next one', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({})
  const { client } = deps.providers
  deps.providers.client = (url) => ({ ...client(url), findPiece: async () => unreachable }) as ProviderClient
  expect(waitOf(await store(), deps.clock).reason).toBe('provider')
  await deps.clock.advance(deps.pace.parkingLimitMs + 1)
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'provider', forMs: 0 })
  await store()
  expect(uploads).toEqual(['http://provider-0', 'http://provider-1'])
})

test('a copy that is being pulled is not uploaded', async () => {
  const first = await rows.addDataSet()
  const second = await rows.addDataSet()
  await rows.addCopy(content, first)
  const pulled = await rows.addCopy(content, second, 'transferring')
  await rows.database.write(async (tx) => {
    const batchId = await insertRow(
      tx,
      `insert into commit_batches (data_set_id, method, state, nonce, extra_data, created_at, updated_at) values (?, 'pull', 'pulling', '1', '0x', 0, 0)`,
      second.id,
    )
    await runSql(tx, 'update copies set batch_id = ? where id = ?', batchId, pulled)
  })
  answer({})
  await store()
  expect(uploads).toEqual(['http://provider-0'])
  expect((await copiesOf(rows.database.read, content.contentId)).map(({ state, batchId }) => [state, batchId])).toEqual([
    ['parked', null],
    ['transferring', 1],
  ])
})

test('after repeated pull failures a copy is uploaded from the cache', async () => {
  await rows.addCopy(content, await rows.addDataSet(), 'parked')
  const id = await rows.addCopy(content, await rows.addDataSet())
  answer({})
  const setbacks = (count: number) => rows.database.write((tx) => runSql(tx, 'update copies set setbacks = ? where id = ?', count, id))
  await setbacks(pullSetbacksMax - 1)
  await store()
  expect(uploads).toEqual([])
  await setbacks(pullSetbacksMax)
  await store()
  expect(uploads).toEqual(['http://provider-1'])
  expect(await states()).toEqual(['parked', 'parked'])
})

test.each([
  ['answers 429', throttled, 60_000],
  ['breaks off', lost, 1000],
])('then a provider that %s is not called before its pause ends, even when another copy is due', async (_what, first, forMs) => {
  await rows.addCopy(content, await rows.addDataSet(), 'parked')
  const id = await rows.addCopy(content, await rows.addDataSet())
  await rows.addCopy(content, await rows.addDataSet())
  await rows.database.write((tx) => runSql(tx, 'update copies set setbacks = ? where id = ?', pullSetbacksMax, id))
  answer({ 'http://provider-1': first })
  makeUnresponsive('http://provider-2')
  expect(waitOf(await store(), deps.clock).forMs).toBe(forMs)
})

test('without cached bytes such a copy continues to wait for a source', async () => {
  await rows.addCopy(content, await rows.addDataSet(), 'parked')
  const id = await rows.addCopy(content, await rows.addDataSet())
  await rows.database.write((tx) => runSql(tx, 'update copies set setbacks = ? where id = ?', pullSetbacksMax, id))
  deps.world.cached = undefined
  answer({})
  expect(await store()).toEqual({ kind: 'done' })
  expect(deps.scheduled).toEqual(['pull 2'])
})

test('a content without cached bytes and without copies fails for an operator', async () => {
  await rows.addDataSet()
  deps.world.cached = undefined
  answer({})
  expect(await store()).toMatchObject({ kind: 'fail', code: 'content_missing', retryable: true })
})

test('I-29: a copy on a data set that has ended is lost from the start and waits for no task', async () => {
  await rows.addDataSet({ state: 'write_blocked' })
  await rows.addDataSet()
  answer({})
  expect(await store()).toEqual({ kind: 'done' })
  expect(await states()).toEqual(['lost', 'parked'])
  expect(uploads).toEqual(['http://provider-1'])
})

test('a data set that its provider refuses gets no upload while it is paused', async () => {
  const refused = await rows.addDataSet()
  answer({})
  await rows.database.write((tx) => pauseWrites(tx, refused.id, { untilMs: deps.clock.now() + 5000, message: 'unknown' }))
  deps.world.available = []
  expect(waitOf(await store(), deps.clock)).toEqual({ reason: 'provider', forMs: 5000 })
  expect(uploads).toEqual([])
})
