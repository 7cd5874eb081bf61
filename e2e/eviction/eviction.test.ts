import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { saveConfigFile } from '#kernel/system'
import { listCachedFiles } from '../fixtures/cached-files.ts'
import { checkDatabase } from '../fixtures/check-database.ts'
import { readRows } from '../fixtures/gateways/gateway-database.ts'
import { startGateway, startGatewayHere } from '../fixtures/gateways/gateway-process.ts'
import { createAdvancingClock } from '../fixtures/gateways/serve-here.ts'
import { type Stage, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { announceOverS3, announceToAdmin, cacheStats, countCachedFiles, waitForCachedFiles, waitForReconcile } from './cache-state.ts'

/** Scenarios with faults have separate devnets, so that all can run at the same time. */
const scenario = (name: string, run: () => Promise<void>) => test.concurrent(name, { timeout: 240_000 }, run)

const ownDevnet = { blockTimeSeconds: 0.25 }
const mebibyte = 1024 * 1024
const capacity = 1024 * mebibyte
/** More than is free when the cache has anything in it. */
const almostCapacity = 1_065_353_216

const afterUpload = { 'cache.eviction_policy': 'after_upload' }

async function setMinimum({ gateway }: Stage, minimum: number): Promise<void> {
  const { status } = await gateway.call('PUT', `/api/v1/buckets/${stageBucket}/copy-policy`, { json: { minimum_durable_copies: minimum } })
  expect(status).toBe(200)
}

/** The provider answers commits with 429 until the returned function is called. */
async function holdCommits(stage: Stage, slot: number): Promise<() => void> {
  const provider = (await stage.providers())[slot]
  provider?.faults.add({ kind: 'answer', status: 429, retryAfterSeconds: 1, routes: ['pieces_add'] })
  return () => provider?.faults.clear()
}

const committed = async (stage: Stage, object: Parameters<Stage['copies']>[0]) =>
  (await stage.copies(object)).filter(({ status }) => status === 'committed').length

scenario(
  'after_upload: bytes are evicted after the second of three copies when two suffice, and a raised minimum does not restore them',
  async () => {
    await using stage = await startStage({ ...ownDevnet, providers: 3, copies: 3, settings: afterUpload })
    await setMinimum(stage, 2)
    const first = await stage.put()
    await stage.stored(first)
    await waitForCachedFiles(stage.dir, 0)
    const resume = await holdCommits(stage, 2)
    const object = await stage.put(randomBytes(40_000))
    await stage.stored(object, 2)
    await waitForCachedFiles(stage.dir, 0)
    expect(await committed(stage, object)).toBe(2)
    expect(await stage.get(object)).toEqual(object.bytes)
    expect(await stage.get(object, 'bytes=100-199')).toEqual(object.bytes.subarray(100, 200))
    resume()
    await stage.stored(object, 3)

    await setMinimum(stage, 3)
    const reviewed = async () =>
      (await stage.tasks()).find(({ type, status }) => type === 'cache_reconcile_durability' && status === 'completed')
    await until('the review of the raised minimum', reviewed)
    await waitForReconcile(stage.dir)
    expect(await stage.get(object)).toEqual(object.bytes)
    expect(countCachedFiles(stage.dir)).toBe(0)
    expect(await cacheStats(stage.gateway)).toEqual({
      used_bytes: 0,
      max_bytes: 100 * capacity,
      reserved_bytes: 0,
      eviction_policy: 'after_upload',
      eviction_paused: false,
    })
    expect((await stage.tasks()).map(({ type }) => type)).not.toContain('cache_capacity_reconcile')
    expect(await stage.settle([first, object])).toEqual([])
  },
)

scenario('after_upload: bytes stay below the minimum of copies; a lowered minimum evicts them while a reader continues', async () => {
  await using stage = await startStage({ ...ownDevnet, providers: 2, copies: 2, settings: afterUpload })
  const first = await stage.put()
  await stage.stored(first)
  await waitForCachedFiles(stage.dir, 0)
  await setMinimum(stage, 2)
  const resume = await holdCommits(stage, 1)
  const object = await stage.put(randomBytes(24 * mebibyte))
  await stage.stored(object, 1)
  await waitForReconcile(stage.dir)
  expect(countCachedFiles(stage.dir)).toBe(1)

  const { Body } = await stage.s3.send(new GetObjectCommand({ Bucket: stageBucket, Key: object.key }))
  const stream = (Body as Readable)[Symbol.asyncIterator]()
  const parts: Buffer[] = [(await stream.next()).value]
  await setMinimum(stage, 1)
  await waitForCachedFiles(stage.dir, 0)
  for (let part = await stream.next(); !part.done; part = await stream.next()) parts.push(part.value)
  expect(Buffer.concat(parts).equals(object.bytes)).toBe(true)
  expect((await stage.get(object)).equals(object.bytes)).toBe(true)
  resume()
  expect(await stage.settle([first, object])).toEqual([])
})

scenario(
  'lru: above the high watermark the oldest are evicted down to the low watermark; S3 answers SlowDown, the Admin API cache_full',
  async () => {
    const marks = { 'cache.lru_high_watermark_percent': 2, 'cache.lru_low_watermark_percent': 1 }
    await using stage = await startStage({ copies: 1, settings: { 'cache.max_size_gb': 1, ...marks } })
    const objects = []
    for (let i = 0; i < 6; i++) objects.push(await stage.put(randomBytes(3 * mebibyte)))
    for (const object of objects) await stage.stored(object)
    await waitForReconcile(stage.dir)
    expect(countCachedFiles(stage.dir)).toBe(6)
    objects.push(await stage.put(randomBytes(3 * mebibyte)))
    await waitForCachedFiles(stage.dir, 3)
    expect(await cacheStats(stage.gateway)).toMatchObject({
      used_bytes: 9 * mebibyte,
      eviction_policy: 'lru',
      high_watermark_bytes: Math.floor(capacity * 0.02),
      low_watermark_bytes: Math.floor(capacity * 0.01),
      eviction_paused: false,
    })
    for (const object of objects) expect((await stage.get(object)).equals(object.bytes)).toBe(true)
    for (const object of objects) await stage.stored(object)

    expect(await announceToAdmin(stage.gateway, almostCapacity)).toEqual({ status: 507, code: 'cache_full' })
    // The refusal starts an eviction below the low watermark, down to what the body needs.
    await waitForCachedFiles(stage.dir, 2)
    await Promise.all([7, 8].map(async () => objects.push(await stage.put(randomBytes(3 * mebibyte)))))
    const user = await stage.gateway.createUser()
    const answer = await announceOverS3(stage.gateway, user, almostCapacity)
    expect([answer.status, answer.code, answer.headers.get('retry-after')]).toEqual([503, 'SlowDown', '5'])
    await waitForCachedFiles(stage.dir, 2)
    expect(await stage.settle(objects)).toEqual([])
  },
)

scenario(
  'none: nothing is evicted and a full cache refuses uploads; another policy then evicts, and a kill during eviction loses nothing',
  async () => {
    await using stage = await startStage({ copies: 1, settings: { 'cache.max_size_gb': 1, 'cache.eviction_policy': 'none' } })
    const objects = await Promise.all([1, 2, 3].map(() => stage.put(randomBytes(3 * mebibyte))))
    for (const object of objects) await stage.stored(object)
    await waitForReconcile(stage.dir)
    expect(countCachedFiles(stage.dir)).toBe(3)
    const user = await stage.gateway.createUser()
    const answer = await announceOverS3(stage.gateway, user, almostCapacity)
    expect([answer.status, answer.code, answer.headers.has('retry-after')]).toEqual([507, 'InsufficientStorage', false])
    expect(await announceToAdmin(stage.gateway, almostCapacity)).toEqual({ status: 507, code: 'cache_full' })
    await waitForReconcile(stage.dir)
    expect(countCachedFiles(stage.dir)).toBe(3)
    await stage.gateway.stop()

    const { devnet, privateKey } = stage.network
    const options = { dir: stage.dir, devnet, privateKey }
    const setPolicy = (policy: string) => saveConfigFile(join(stage.dir, 'config.toml'), { 'cache.eviction_policy': policy })
    setPolicy('after_upload')
    // Eviction begins at once, and may kill the process before it serves.
    const doomed = await startGateway({ ...options, killAt: 'storage.evict.claimed' }).catch(() => undefined)
    await doomed?.ended
    expect(readRows(stage.dir, 'select state from cache_entries')).toEqual([1, 2, 3].map(() => ({ state: 'evicting' })))
    expect(countCachedFiles(stage.dir)).toBe(3)

    setPolicy('none')
    await using gateway = await startGatewayHere(options)
    await waitForCachedFiles(stage.dir, 0)
    const s3 = gateway.connect(user)
    for (const object of objects) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: stageBucket, Key: object.key }))
      expect(object.bytes.equals((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(true)
    }
    s3.destroy()
    await gateway.stop()
    expect(await checkDatabase(stage.dir, devnet)).toEqual([])
  },
)

scenario('a cached file that cannot be removed is shown as a failed task, and a retry removes it', async () => {
  const settings = { ...afterUpload, 'worker.tasks.max_retries': 0 }
  const clock = createAdvancingClock()
  await using stage = await startStage({ providers: 1, copies: 1, settings, clock, ...ownDevnet })
  const first = await stage.put()
  await stage.stored(first)
  await waitForCachedFiles(stage.dir, 0)
  const resume = await holdCommits(stage, 0)
  const object = await stage.put(randomBytes(20_000))
  await stage.waits('storage_commit', 'provider_busy')
  const [path = ''] = listCachedFiles(stage.dir)
  const elsewhere = join(stage.dir, 'elsewhere')
  renameSync(path, elsewhere)
  // A folder cannot be unlinked, not even by root.
  mkdirSync(path)
  resume()
  const failed = await until('a failed task', async () => {
    const task = (await stage.tasks()).find(({ type }) => type === 'cache_evict')
    // Skips the backoff before the next of five attempts.
    if (task?.status === 'pending') clock.advance(10_000)
    return task?.status === 'failed' ? task : undefined
  })
  expect(failed).toMatchObject({ type: 'cache_evict', presentation_status: 'failed', last_error: expect.any(String) })
  expect((await cacheStats(stage.gateway)).used_bytes).toBe(object.bytes.length)
  rmSync(path, { recursive: true })
  renameSync(elsewhere, path)
  expect((await stage.gateway.call('POST', `/api/v1/tasks/${failed.id}/retry`)).status).toBe(200)
  await waitForCachedFiles(stage.dir, 0)
  expect(await stage.settle([first, object], { retriesMax: 1 })).toEqual([])
})
