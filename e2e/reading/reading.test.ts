import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { type Stage, type StoredObject, startStage } from '../fixtures/gateways/stage.ts'

/** One chunk, and several. */
const sizes = [40_000, 9 * 1024 * 1024]
const range = 'bytes=1000-20999'

let stage: Stage
let providers: readonly SimulatedProvider[]
let objects: readonly StoredObject[]

beforeAll(async () => {
  stage = await startStage({ providers: 3, copies: 3, blockTimeSeconds: 0.25, settings: { 'cache.fill_on_read': false } })
  objects = await Promise.all(sizes.map((size) => stage.put(randomBytes(size))))
  for (const object of objects) await stage.stored(object)
  providers = await stage.providers()
})

afterEach(() => {
  for (const { faults } of providers) faults.clear()
})

afterAll(() => stage?.[Symbol.asyncDispose]())

const isRight = async (object: StoredObject) => (await stage.get(object)).equals(object.bytes)
const isRightInPart = async (object: StoredObject) => (await stage.get(object, range)).equals(object.bytes.subarray(1000, 21_000))

test('objects without cache files are read from a provider, whole and in part', { timeout: 120_000 }, async () => {
  expect(stage.emptyCache()).toBeGreaterThanOrEqual(objects.length)
  for (const object of objects) {
    expect(await isRight(object)).toBe(true)
    expect(await isRightInPart(object)).toBe(true)
  }
})

test('reads are correct while the first provider is unreachable', { timeout: 120_000 }, async () => {
  stage.emptyCache()
  providers[0]?.faults.add({ kind: 'dark' })
  for (const object of objects) {
    expect(await isRight(object)).toBe(true)
    expect(await isRightInPart(object)).toBe(true)
  }
})

test('reads are correct while all providers but one send wrong bytes', { timeout: 120_000 }, async () => {
  for (const { faults } of providers.slice(0, -1)) faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  stage.emptyCache()
  for (const object of objects) {
    expect(await isRight(object)).toBe(true)
    expect(await isRightInPart(object)).toBe(true)
  }
})

test('while no provider serves the bytes, a read is answered with ServiceUnavailable', { timeout: 120_000 }, async () => {
  stage.emptyCache()
  for (const { faults } of providers) faults.add({ kind: 'answer', status: 503, routes: ['retrieve'] })
  for (const object of objects) {
    await expect(stage.get(object)).rejects.toMatchObject({ name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } })
  }
})
