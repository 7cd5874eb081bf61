/** Providers that serve wrong bytes, or correct ones too slowly. */
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { SimulatedProvider } from '../../devnet/provider/provider.ts'
import { type Stage, type StoredObject, startStage } from '../fixtures/gateways/stage.ts'

const mib = 1024 * 1024
/** Ranges within one chunk, across chunks, and of the last bytes. */
const ranges = [
  [0, 0],
  [5 * mib, 5 * mib + 99],
  [900_000, 3_200_000],
  [9 * mib, 9 * mib + 4999],
] as const

let stage: Stage
let providers: readonly SimulatedProvider[]
let object: StoredObject

beforeAll(async () => {
  stage = await startStage({ providers: 2, copies: 2, settings: { 'cache.fill_on_read': false } })
  object = await stage.put(randomBytes(9 * mib + 5000))
  await stage.stored(object)
  providers = await stage.providers()
  expect(stage.emptyCache()).toBeGreaterThan(0)
})

afterEach(() => {
  for (const { faults } of providers) faults.clear()
})

afterAll(() => stage?.[Symbol.asyncDispose]())

const slice = ([start, end]: readonly [number, number]) => object.bytes.subarray(start, end + 1)
const read = ([start, end]: readonly [number, number]) => stage.get(object, `bytes=${start}-${end}`)

test('I-31 ranges of a large object are correct while one of two providers serves wrong bytes', async () => {
  const [bad] = providers
  bad?.faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  for (const range of ranges) expect((await read(range)).equals(slice(range))).toBe(true)
  expect((await stage.get(object)).equals(object.bytes)).toBe(true)
  // The provider was read from, and its bytes were rejected.
  expect(bad?.faults.list()[0]?.uses).toBeGreaterThan(0)
  expect(stage.gateway.log()).toContain('copy content mismatch')
})

test('I-31 reads answer 503 while all providers serve wrong bytes', async () => {
  for (const { faults } of providers) faults.add({ kind: 'corrupt_bytes', routes: ['retrieve'] })
  for (const range of ranges) {
    await expect(read(range)).rejects.toMatchObject({ name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } })
  }
})

test('a provider that sends one byte every 500 ms does not block reads', async () => {
  // Each provider in turn, so that one of them is the first choice.
  for (const slow of providers) {
    slow.faults.add({ kind: 'drip_bytes', everyMs: 500, routes: ['retrieve'] })
    for (const range of ranges) expect((await read(range)).equals(slice(range))).toBe(true)
    slow.faults.clear()
  }
})
