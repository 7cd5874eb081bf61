import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { type Stage, type StoredObject, startStage } from '../fixtures/stage.ts'

/** Bytes: one chunk, and several chunks. */
const sizes = [40_000, 9 * 1024 * 1024]
const range = 'bytes=1000-20999'

let stage: Stage
let providers: readonly SimulatedProvider[]
let objects: readonly StoredObject[]

beforeAll(async () => {
  stage = await startStage({ providers: 3, copies: 3 })
  objects = await Promise.all(sizes.map((size) => stage.put(randomBytes(size))))
  for (const object of objects) await stage.stored(object)
  providers = await stage.providers()
})

afterEach(() => {
  for (const { faults } of providers) faults.clear()
})

afterAll(() => stage?.[Symbol.asyncDispose]())

const isIntact = async (object: StoredObject) => (await stage.get(object)).equals(object.bytes)
const isRangeIntact = async (object: StoredObject) => (await stage.get(object, range)).equals(object.bytes.subarray(1000, 21_000))

test('objects without cached files are read from a provider, whole and by range', { timeout: 120_000 }, async () => {
  expect(stage.emptyCache()).toBeGreaterThanOrEqual(objects.length)
  for (const object of objects) {
    expect(await isIntact(object)).toBe(true)
    expect(await isRangeIntact(object)).toBe(true)
  }
})

test('reads are correct while the first provider is dark', { timeout: 120_000 }, async () => {
  stage.emptyCache()
  providers[0]?.faults.add({ kind: 'dark' })
  for (const object of objects) {
    expect(await isIntact(object)).toBe(true)
    expect(await isRangeIntact(object)).toBe(true)
  }
})

test('reads are correct while all providers but one serve damaged bytes', { timeout: 120_000 }, async () => {
  for (const { faults } of providers.slice(0, -1)) faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  stage.emptyCache()
  for (const object of objects) {
    expect(await isIntact(object)).toBe(true)
    expect(await isRangeIntact(object)).toBe(true)
  }
})

test('while no provider serves the bytes, a read answers 503 ServiceUnavailable', { timeout: 120_000 }, async () => {
  stage.emptyCache()
  for (const { faults } of providers) faults.add({ kind: 'answer', status: 503, routes: ['retrieve'] })
  for (const object of objects) {
    await expect(stage.get(object)).rejects.toMatchObject({ name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } })
  }
})
