/** Reads of objects without cache files fill the cache. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { listCachedFiles } from '../fixtures/cached-files.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

const readers = 100

let stage: Stage
let providers: readonly SimulatedProvider[]
let small: StoredObject
let large: StoredObject

beforeAll(async () => {
  stage = await startStage({ providers: 2, copies: 2, blockTimeSeconds: 0.25 })
  // Larger than what is kept in memory after a read from the cache.
  small = await stage.put(randomBytes(100_000))
  large = await stage.put(randomBytes(2_000_000))
  for (const object of [small, large]) await stage.stored(object)
  providers = await stage.providers()
})

afterEach(() => {
  for (const { faults } of providers) faults.clear()
})

afterAll(() => stage?.[Symbol.asyncDispose]())

/** Waits until the only files of the cache are those of the objects. */
const cached = (...objects: StoredObject[]) =>
  until(`${objects.length} cached objects`, async () => {
    const files = listCachedFiles(stage.dir).map((path) => readFileSync(path))
    return (files.length === objects.length && objects.every(({ bytes }) => files.some((file) => file.equals(bytes)))) || undefined
  })

const retrievals = () => providers.reduce((sum, { counters }) => sum + counters.requests.retrieve, 0)
const sendNothing = () => {
  for (const { faults } of providers) faults.add({ kind: 'answer', status: 503, routes: ['retrieve'] })
}

test('cold_get_single_flight: 100 clients that read a cold object cause one download, and later reads need no provider', {
  timeout: 120_000,
}, async () => {
  stage.emptyCache()
  const before = retrievals()
  const reads = await Promise.all(Array.from({ length: readers }, () => stage.get(large)))
  for (const read of reads) expect(read.equals(large.bytes)).toBe(true)
  // One request for each chunk of 1 MiB, and perhaps one to a second copy of a chunk that was slow.
  expect(retrievals() - before).toBeLessThanOrEqual(4)
  await cached(large)
  sendNothing()
  expect((await stage.get(large)).equals(large.bytes)).toBe(true)
})

test('cold_get_corrupt_first_provider: wrong bytes of the first provider reach neither a client nor the cache', {
  timeout: 120_000,
}, async () => {
  providers[0]?.faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  stage.emptyCache()
  for (const object of [small, large]) expect((await stage.get(object)).equals(object.bytes)).toBe(true)
  await cached(small, large)
  expect(providers[0]?.faults.list()[0]?.uses).toBeGreaterThan(0)
  sendNothing()
  for (const object of [small, large]) expect((await stage.get(object)).equals(object.bytes)).toBe(true)
})

test('range_on_cold_object_verified: a short range is right while a provider sends wrong bytes, and does not fetch the object', {
  timeout: 120_000,
}, async () => {
  for (const { faults } of providers.slice(1)) faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  stage.emptyCache()
  const range = await stage.get(large, 'bytes=1100000-1100999')
  expect(range.equals(large.bytes.subarray(1_100_000, 1_101_000))).toBe(true)
  expect(listCachedFiles(stage.dir)).toEqual([])
})

test('client_abort_keeps_rehydrating: the cache is filled when the only client leaves early', { timeout: 120_000 }, async () => {
  stage.emptyCache()
  const { Body } = await stage.s3.send(new GetObjectCommand({ Bucket: stageBucket, Key: large.key }))
  ;(Body as Readable).destroy()
  await cached(large)
})

test('afterwards chain, providers and database agree', { timeout: 60_000 }, async () => {
  expect((await stage.get(small)).equals(small.bytes)).toBe(true)
  await cached(small, large)
  expect(await stage.settle([small, large])).toEqual([])
})
