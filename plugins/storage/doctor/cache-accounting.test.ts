import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ObjectStorage, openObjectStorage } from '../testing/object-storage.ts'
import { cacheAccountingCheck } from './cache-checks.ts'

let storage: ObjectStorage
beforeAll(async () => {
  storage = await openObjectStorage()
  await storage.put('one', 'bytes')
})
afterAll(() => storage[Symbol.asyncDispose]())

/** The check with a cache that counts these bytes, one after the other. */
async function lookAt(...counted: readonly number[]) {
  let at = 0
  const stats = () => ({ ...storage.cache.stats(), usedBytes: counted[Math.min(at++, counted.length - 1)] ?? 0 })
  const clock = { sleep: async () => undefined }
  const look = { read: storage.database.read, signal: new AbortController().signal }
  return cacheAccountingCheck.look({ cacheGauge: { stats }, clock } as never, look as never)
}

test('I-23: the count of the running cache equals the rows', async () => {
  expect(storage.cache.stats().usedBytes).toBe(5)
  expect(await lookAt(5)).toEqual({ findings: [], compared: 1 })
})

test('I-23: a difference that stays is found, one that passes is not', async () => {
  expect((await lookAt(9)).findings).toMatchObject([
    { severity: 'warning', invariant: 'I-23', message: 'the cache counts 9 used bytes, but the rows sum to 5' },
  ])
  expect(await lookAt(9, 5)).toEqual({ findings: [], compared: 1 })
  expect(await lookAt(9, 8, 7, 6, 9)).toEqual({ findings: [], compared: 0 })
})

test('I-23: bytes above the capacity are found', async () => {
  const stats = () => ({ ...storage.cache.stats(), maxBytes: 4 })
  const look = { read: storage.database.read, signal: new AbortController().signal }
  expect((await cacheAccountingCheck.look({ cacheGauge: { stats }, clock: {} } as never, look as never)).findings).toMatchObject([
    { message: 'cached bytes and reservations are 5, above the capacity of 4' },
  ])
})
