import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Fault } from '../../devnet/faults.ts'
import { flipByte } from '../../plugins/storage/testing/flip-byte.ts'
import { damageCachedFile, listCachedFiles } from '../fixtures/cached-files.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { type Stage, type StoredObject, sha256, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { findDuplicateAdds, findWrongCopies } from '../fixtures/verify-copies.ts'

/** Shared, so the order of the tests matters: the first one needs providers without data sets. */
let stage: Stage
const kept: StoredObject[] = []

beforeAll(async () => {
  stage = await startStage({ providers: 3, copies: 3 })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** Places a fault at every provider. Returns a function that removes it. */
function placeEverywhere(fault: Fault): () => void {
  const placed = stage.network.devnet.providers.map(({ faults }) => ({ faults, id: faults.add(fault) }))
  return () => {
    for (const { faults, id } of placed) faults.clear(id)
  }
}

const waitForFailedStore = (object: StoredObject) =>
  until(`a failed task for ${object.key}`, async () => {
    const tasks = await stage.tasks()
    return tasks.find(
      ({ type, status, last_error }) => type === 'storage_store' && status === 'failed' && last_error?.includes('is damaged'),
    )
  })

/** Puts the intact bytes under another key: both keys then serve them, and three providers have exactly these bytes. */
async function repairByPut(damaged: StoredObject): Promise<void> {
  const again = await stage.put(damaged.bytes)
  for (const object of [damaged, again]) {
    expect((await stage.get(object)).equals(damaged.bytes)).toBe(true)
    expect(await findWrongCopies(stage.network.devnet, await stage.stored(object), sha256(damaged.bytes))).toEqual([])
  }
  kept.push(damaged, again)
}

test('I-30: cached bytes damaged before their upload reach no provider, and a PUT of the intact bytes repairs them', {
  timeout: 120_000,
}, async () => {
  const allowDataSets = placeEverywhere({ kind: 'answer', status: 429, retryAfterSeconds: 1, routes: ['data_set_create'] })
  const object = await stage.put(randomBytes(300_000))
  await stage.waits('storage_store', 'data_set')
  await damageCachedFile(stage.dir, object.bytes)
  allowDataSets()
  await waitForFailedStore(object)
  await expect(stage.get(object)).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } })
  await repairByPut(object)
})

test('I-30: cached bytes damaged between piece CID and upload reach no provider', { timeout: 120_000 }, async () => {
  const addsBefore = stage.network.devnet.providers.reduce((sum, { counters }) => sum + counters.addPiecesTransactions, 0)
  const allowUploads = placeEverywhere({ kind: 'answer', status: 429, retryAfterSeconds: 1, routes: ['upload_create', 'piece_post'] })
  const object = await stage.put(randomBytes(2_500_000))
  await stage.waits('storage_store', 'provider_busy')
  await damageCachedFile(stage.dir, object.bytes, object.bytes.length - 1)
  allowUploads()
  await until(
    'a second failed task',
    async () => (await stage.tasks()).filter(({ status }) => status === 'failed').length === 2 || undefined,
  )
  expect((await stage.copies(object)).map(({ status }) => status)).toEqual(['pending', 'pending', 'pending'])
  expect(stage.network.devnet.providers.reduce((sum, { counters }) => sum + counters.addPiecesTransactions, 0)).toBe(addsBefore)
  await repairByPut(object)
})

test('I-37: damaged bytes that no provider has are kept and refused with the next step; repaired ones are served and stored', {
  timeout: 120_000,
}, async () => {
  const allowDataSets = placeEverywhere({ kind: 'answer', status: 429, retryAfterSeconds: 1, routes: ['upload_create', 'piece_post'] })
  const object = await stage.put(randomBytes(300_000))
  await stage.waits('storage_store', 'provider_busy')
  const path = listCachedFiles(stage.dir).find((file) => readFileSync(file).equals(object.bytes)) ?? ''
  await flipByte(path, 7)
  for (let reads = 0; reads < 2; reads++) {
    const refused = stage.get(object)
    await expect(refused).rejects.toMatchObject({
      $metadata: { httpStatusCode: 503 },
      message: expect.stringContaining('upload the object again'),
    })
  }
  const { adminUrl, headersOf } = stage.gateway
  const damagedFiles = async () => {
    const answer = await fetch(`${adminUrl}/api/v1/overview`, { headers: headersOf({}) })
    return ((await answer.json()) as { objects: { attention: { damaged_files?: number } } }).objects.attention.damaged_files
  }
  expect([existsSync(path), await damagedFiles()]).toEqual([true, 1])
  await flipByte(path, 7)
  expect((await stage.get(object)).equals(object.bytes)).toBe(true)
  expect(await damagedFiles()).toBeUndefined()
  allowDataSets()
  expect(await findWrongCopies(stage.network.devnet, await stage.stored(object), sha256(object.bytes))).toEqual([])
  kept.push(object)
})

test('I-30: a full read of damaged cached bytes is aborted, and a provider serves the next one', { timeout: 120_000 }, async () => {
  const { adminUrl, headersOf } = stage.gateway
  const download = async ({ key }: StoredObject) => {
    const answer = await fetch(`${adminUrl}/api/v1/buckets/${stageBucket}/objects/download?key=${key}`, { headers: headersOf({}) })
    expect(answer.status).toBe(200)
    return Buffer.from(await answer.arrayBuffer())
  }
  const objects = await Promise.all([3_000_000, 3_000_000, 100_000].map((size) => stage.put(randomBytes(size))))
  await Promise.all(objects.map((object) => stage.stored(object)))
  kept.push(...objects)
  const [one, other, small] = objects as [StoredObject, StoredObject, StoredObject]
  for (const { bytes } of objects) await damageCachedFile(stage.dir, bytes)
  await expect(stage.get(one)).rejects.toThrow()
  expect((await stage.get(one)).equals(one.bytes)).toBe(true)
  await expect(download(other)).rejects.toThrow()
  expect((await download(other)).equals(other.bytes)).toBe(true)
  // Damage in the first block is detected before the first byte is sent.
  expect((await stage.get(small)).equals(small.bytes)).toBe(true)
})

test('afterwards chain, providers and database agree', { timeout: 60_000 }, async () => {
  for (const object of kept) {
    expect((await stage.get(object)).equals(object.bytes)).toBe(true)
    expect(await findWrongCopies(stage.network.devnet, await stage.stored(object), sha256(object.bytes))).toEqual([])
  }
  await stage.gateway.stop()
  expect([...(await findDuplicateAdds(stage.network.devnet)), ...(await checkDatabase(stage.dir, stage.network.devnet))]).toEqual([])
})
