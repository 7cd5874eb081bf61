import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { notSent, ok, uncertain } from '../chain/provider-answer.ts'
import type { ProviderClient } from '../chain/provider-client.ts'
import { findDataSet, setPieceBytesMax } from '../datasets/data-set-store.ts'
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

test('a provider that takes only smaller pieces keeps them, and a larger object gets another provider', async () => {
  content = await rows.addContent({ bytes: Buffer.alloc(200, 'x'), copies: 2 })
  doors.world.available = [provider(1, 250), provider(2, 300)]
  expect(waitOf(await store(), doors.clock).reason).toBe('data_set')
  const slots = () => copiesOf(rows.database.read, content.contentId).map(({ slot }) => slot)
  expect(slots()).toEqual([0, 1])
  content = await rows.addContent({ bytes: Buffer.alloc(300, 'y'), copies: 2 })
  expect(await store()).toMatchObject({ kind: 'wait', reason: 'data_set' })
  expect(slots()).toEqual([0])
  doors.world.available = [...doors.world.available, provider(3, 299), provider(4)]
  await store()
  expect(slots()).toEqual([0, 2])
  expect(doors.scheduled.filter((entry) => entry.startsWith('ensure'))).toEqual(['ensure 1', 'ensure 2', 'ensure 3'])
  expect(findDataSet(rows.database.read, 3)).toMatchObject({ providerId: '4', pieceBytesMax: 1_065_353_216 })
})

test('an object above every registered maximum waits, and a raised maximum opens the existing slot without a copy above the target', async () => {
  doors.world.available = [provider(1, 250), provider(2, 250)]
  expect(await store()).toMatchObject({ kind: 'wait', reason: 'provider', message: expect.stringContaining('a piece of 300 bytes') })
  content = await rows.addContent({ bytes: Buffer.alloc(200, 'x'), copies: 2 })
  await store()
  content = await rows.addContent({ bytes: Buffer.alloc(300, 'y'), copies: 2 })
  doors.world.available = [provider(1, 250), provider(2, 250), provider(3), provider(4)]
  await store()
  const slots = () => copiesOf(rows.database.read, content.contentId).map(({ slot }) => slot)
  expect(slots()).toEqual([2, 3])
  await rows.database.write((tx) => setPieceBytesMax(tx, 1, provider(1)))
  await store()
  expect(slots()).toEqual([2, 3])
  content = await rows.addContent({ bytes: Buffer.alloc(300, 'z'), copies: 5 })
  doors.world.available = [provider(1), provider(2), provider(3), provider(4)]
  await store()
  expect(slots()).toEqual([0, 1, 2, 3])
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

/** Holds so many slots of the provider's lane, or makes it silent. */
const occupy = (serviceUrl: string, slots = 4) => Array.from({ length: slots }, () => doors.providers.turns.take(serviceUrl, 'store'))
function silence(serviceUrl: string, lane: 'store' | 'mutation' = 'store'): void {
  for (let call = 0; call < 3; call++) {
    using turn = doors.providers.turns.take(serviceUrl, lane)
    turn.heard(uncertain({ reason: 'timeout', detail: 'late' }))
  }
}

test('I-32: a provider that holds its share of the slots is passed over', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({})
  occupy('http://provider-0')
  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual(['http://provider-1'])
})

test('I-32: where all providers hold their share the store waits without an attempt, and is woken by a free slot', async () => {
  await rows.addDataSet()
  answer({})
  const held = occupy('http://provider-0')
  expect(waitOf(await store(), doors.clock).reason).toBe('provider_busy')
  expect([states(), uploads, doors.scheduled]).toEqual([['planned'], [], []])
  held[0]?.[Symbol.dispose]()
  await rows.database.write(() => undefined)
  expect(doors.scheduled).toEqual([`store ${content.contentId}`])
  expect(await store()).toMatchObject({
    kind: 'wait',
    message: '1 of 2 copies have a provider; more providers that take a piece of 300 bytes are needed',
  })
  expect(uploads).toEqual(['http://provider-0'])
})

test('new contents do not go to a provider that does not answer, and the copy is no worse for it', async () => {
  await rows.addDataSet()
  await rows.addDataSet()
  answer({})
  silence('http://provider-0')
  expect(await store()).toEqual({ kind: 'done' })
  expect(uploads).toEqual(['http://provider-1'])
  expect(copiesOf(rows.database.read, content.contentId).map(({ setbacks }) => setbacks)).toEqual([0, 0])
})

test('I-08: a content whose only provider does not answer waits for the next probe, which brings it there', async () => {
  await rows.addDataSet()
  answer({})
  silence('http://provider-0')
  expect(waitOf(await store(), doors.clock)).toEqual({ reason: 'provider', forMs: doors.pace.epochMs })
  expect(uploads).toEqual([])
  await doors.clock.advance(doors.pace.epochMs)
  await store()
  expect(states()).toEqual(['parked'])
})

test('uploads without an answer end at the third: the rest waits', async () => {
  await rows.addDataSet()
  answer({ 'http://provider-0': uncertain({ reason: 'timeout', detail: 'late' }) })
  for (let run = 0; run < 6; run++) {
    await store()
    await rows.database.write((tx) => tx.run('update copies set next_attempt_at = 0'))
  }
  expect(uploads).toHaveLength(3)
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

test.each([
  ['asks to come back later', throttled, 60_000],
  ['breaks off', lost, 1000],
])('its provider that %s keeps its pause, though the copy of another provider is due', async (_what, first, forMs) => {
  await rows.addCopy(content, await rows.addDataSet(), 'parked')
  const id = await rows.addCopy(content, await rows.addDataSet())
  await rows.addCopy(content, await rows.addDataSet())
  await rows.database.write((tx) => tx.run('update copies set setbacks = ? where id = ?', pullSetbacksMax, id))
  answer({ 'http://provider-1': first })
  silence('http://provider-2')
  expect(waitOf(await store(), doors.clock).forMs).toBe(forMs)
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
