import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { type Stage, type StoredObject, startStage } from '../fixtures/stage.ts'

/** One below and one above the size that is proved before its first byte is handed on. */
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

/** As an operator's slip of the hand would. */
function emptyCache(): number {
  const blobs = readdirSync(join(stage.dir, 'cache'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { parentPath, name } of blobs) rmSync(join(parentPath, name))
  return blobs.length
}

const isRight = async (object: StoredObject) => (await stage.get(object)).equals(object.bytes)
const isRightInPart = async (object: StoredObject) => (await stage.get(object, range)).equals(object.bytes.subarray(1000, 21_000))

test('objects whose cached files are gone come from a provider, whole and in part', { timeout: 120_000 }, async () => {
  expect(emptyCache()).toBeGreaterThanOrEqual(objects.length)
  for (const object of objects) {
    expect(await isRight(object)).toBe(true)
    expect(await isRightInPart(object)).toBe(true)
  }
})

test('a dark first provider leaves reads right', { timeout: 120_000 }, async () => {
  emptyCache()
  providers[0]?.faults.add({ kind: 'dark' })
  for (const object of objects) {
    expect(await isRight(object)).toBe(true)
    expect(await isRightInPart(object)).toBe(true)
  }
})

test('a provider with damaged bytes: small objects come right at once, a large one never as a whole wrong answer', {
  timeout: 120_000,
}, async () => {
  const [small, large] = objects as [StoredObject, StoredObject]
  // Every provider but the last: whichever is asked first is wrong.
  for (const { faults } of providers.slice(0, -1)) faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  emptyCache()
  expect(await isRight(small)).toBe(true)
  expect(await isRightInPart(small)).toBe(true)
  const reads: string[] = []
  for (let i = 0; i < providers.length; i++) {
    emptyCache()
    reads.push(await isRight(large).then(String, () => 'broken off'))
  }
  expect(reads).not.toContain('false')
  expect(reads.at(-1)).toBe('true')
})

test('while no provider gives the bytes, a read is refused in words and may be tried again', { timeout: 120_000 }, async () => {
  emptyCache()
  for (const { faults } of providers) faults.add({ kind: 'answer', status: 503, routes: ['retrieve'] })
  for (const object of objects) {
    await expect(stage.get(object)).rejects.toMatchObject({ name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } })
  }
})
