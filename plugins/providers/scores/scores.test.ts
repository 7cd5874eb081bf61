import { Readable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { allRows, createFakeClock, type FakeClock, openTestDatabase, silentLog, type TestDatabase } from '#kernel/testing'
import { ok, uncertain } from '../client/provider-answer.ts'
import type { ProviderClient } from '../client/provider-client.ts'
import { bytesBody } from '../client/upload-body.ts'
import { providerMigrations } from '../migrations.ts'
import type { MeasuredCall } from './measure-policy.ts'
import { measured } from './measured-client.ts'
import { openScores } from './scores.ts'

const one = { providerId: '1', serviceUrl: 'http://one' }
const two = { providerId: '2', serviceUrl: 'http://two' }
const read: Omit<MeasuredCall, 'atMs'> = { kind: 'read', transfer: { bytes: 1_000_000, ms: 100 } }

let database: TestDatabase
let clock: FakeClock

beforeEach(async () => {
  database = await openTestDatabase([{ name: 'providers', migrations: providerMigrations }])
  onTestFinished(() => database[Symbol.asyncDispose]())
  clock = createFakeClock()
})

const open = async (placed: readonly { readonly providerId: string; readonly serviceUrl: string }[]) => {
  const scores = await openScores({ database, clock, log: silentLog }, placed)
  onTestFinished(() => scores[Symbol.asyncDispose]())
  return scores
}
const rows = () =>
  allRows<{ id: string; calls: number }>(database.read, 'select provider_id as id, calls from provider_measures order by 1')

test('thousands of calls are one row of each kind, written together after half a minute', async () => {
  const scores = await open([one])
  for (let call = 0; call < 5000; call++) scores.record(one.serviceUrl, read)
  expect(scores.of(one)?.read).toMatchObject({ calls: 5000, bytesPerSecond: 10_000_000 })
  expect(await rows()).toEqual([])
  await clock.advance(30_000)
  await expect.poll(rows).toEqual([{ id: '1', calls: 5000 }])
  scores.record(one.serviceUrl, read)
  expect(scores.of(one)?.read?.calls).toBe(5001)
})

test('measurements survive a restart, and the last ones are written at the stop', async () => {
  const before = await open([one])
  before.record(one.serviceUrl, read)
  await before[Symbol.asyncDispose]()
  expect((await open([one])).of(one)?.read?.calls).toBe(1)
})

test('calls to unknown URLs leave no row, and a provider that left the registry loses its rows', async () => {
  const scores = await open([one, two])
  for (let url = 0; url < 6000; url++) scores.record(`http://lying.example/${url}`, read)
  scores.record(two.serviceUrl, read)
  await scores.placeAt([one, two])
  await scores[Symbol.asyncDispose]()
  // The memory was full of unknown URLs.
  expect(await rows()).toEqual([])
  const next = await open([one, two])
  next.record(two.serviceUrl, read)
  await next[Symbol.asyncDispose]()
  expect(await rows()).toEqual([{ id: '2', calls: 1 }])
  await (await open([one])).placeAt([one])
  expect(await rows()).toEqual([])
})

test('providers that share a URL share its measurements', async () => {
  const twin = { ...two, serviceUrl: one.serviceUrl }
  const scores = await open([one, twin])
  scores.record(one.serviceUrl, read)
  await scores[Symbol.asyncDispose]()
  expect((await rows()).map(({ id }) => id)).toEqual(['1', '2'])
})

function measuredCalls(client: Partial<ProviderClient>) {
  const calls: Omit<MeasuredCall, 'atMs'>[] = []
  const plain = { ping: async () => ok({ elapsedMs: 1 }), serviceUrl: one.serviceUrl, ...client } as unknown as ProviderClient
  return { calls, client: measured(plain, { log: silentLog, record: (call) => calls.push(call) }) }
}

test('an upload is measured with its bytes, one that the provider had already has no rate, a ping is not measured', async () => {
  const answers = [ok({ alreadyStored: false }), ok({ alreadyStored: true }), uncertain({ reason: 'timeout', detail: 'late' })]
  const { client, calls } = measuredCalls({ upload: async () => answers.shift() as never })
  for (let call = 0; call < 3; call++) await client.upload({ pieceCid: 'baga', body: bytesBody(Buffer.alloc(300)) })
  await client.ping()
  expect(calls).toEqual([
    { kind: 'upload', transfer: { bytes: 300, ms: expect.any(Number) } },
    { kind: 'upload', transfer: undefined },
    { kind: 'upload', failure: { call: 'upload', reason: 'timeout' } },
  ])
})

test('a read is measured at the end of its stream; one that breaks failed, and one that the caller aborts says nothing', async () => {
  const opened = (stream: Readable) => ok({ stream, length: 3, size: 3, isPartial: true })
  const stop = new AbortController()
  const broken = () => new Readable({ read: () => undefined })
  const streams = [Readable.from([Buffer.from('abc')]), broken(), broken()]
  const { client, calls } = measuredCalls({ openPiece: async () => opened(streams.shift() as Readable) })
  const next = async (signal?: AbortSignal) => {
    const answer = await client.openPiece('baga', signal ? { signal } : {})
    if (answer.kind !== 'ok') throw new Error(answer.kind)
    return answer.value.stream
  }
  for await (const _ of await next());
  const lost = await next()
  lost.destroy(new Error('reset'))
  await expect(lost.toArray()).rejects.toThrow()
  const aborted = await next(stop.signal)
  stop.abort()
  aborted.destroy(new Error('aborted'))
  await expect(aborted.toArray()).rejects.toThrow()
  expect(calls).toEqual([
    { kind: 'read', transfer: { bytes: 3, ms: expect.any(Number) } },
    { kind: 'read', failure: { call: 'openPiece', reason: 'connection_lost' } },
  ])
})

test.each([
  ['aborted', undefined],
  ['throttled', undefined],
  ['reverted', undefined],
  ['server_error', { call: 'findPiece', reason: 'server_error' }],
  ['not_found', 'answered'],
])('the cause %s of a look-up counts as %o', async (reason, expected) => {
  const { client, calls } = measuredCalls({ findPiece: async () => ({ kind: 'not_sent', cause: { reason, detail: '' } }) as never })
  await client.findPiece('baga')
  if (expected === undefined) expect(calls).toEqual([])
  else expect(calls).toEqual([{ kind: 'other', ...(expected === 'answered' ? { transfer: undefined } : { failure: expected }) }])
})
