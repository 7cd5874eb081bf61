import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { type Stage, type StoredObject, startStage } from '../fixtures/stage.ts'

/** Of one chunk and of several. */
const sizes = [40_000, 9 * 1024 * 1024]
const range = 'bytes=1000-20999'

let stage: Stage
let providers: readonly SimulatedProvider[]
let objects: readonly StoredObject[]

beforeAll(async () => {
  stage = await startStage({ providers: 3, copies: 3, blockTimeSeconds: 0.25 })
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

test('objects whose cached files are gone come from a provider, whole and in part', { timeout: 120_000 }, async () => {
  expect(stage.emptyCache()).toBeGreaterThanOrEqual(objects.length)
  for (const object of objects) {
    expect(await isRight(object)).toBe(true)
    expect(await isRightInPart(object)).toBe(true)
  }
})

test('a dark first provider leaves reads right', { timeout: 120_000 }, async () => {
  stage.emptyCache()
  providers[0]?.faults.add({ kind: 'dark' })
  for (const object of objects) {
    expect(await isRight(object)).toBe(true)
    expect(await isRightInPart(object)).toBe(true)
  }
})

test('providers with damaged bytes leave reads right', { timeout: 120_000 }, async () => {
  // Every provider but the last: whichever is asked first is wrong.
  for (const { faults } of providers.slice(0, -1)) faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  stage.emptyCache()
  for (const object of objects) {
    expect(await isRight(object)).toBe(true)
    expect(await isRightInPart(object)).toBe(true)
  }
})

test('while no provider gives the bytes, a read is refused in words and may be tried again', { timeout: 120_000 }, async () => {
  stage.emptyCache()
  for (const { faults } of providers) faults.add({ kind: 'answer', status: 503, routes: ['retrieve'] })
  for (const object of objects) {
    await expect(stage.get(object)).rejects.toMatchObject({ name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } })
  }
})
