import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { saveConfigFile } from '#kernel/system'
import { countCachedBlobs } from '../fixtures/cached-files.ts'
import { stageBucket as Bucket, restartStage, type StoredObject, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'
import { completes, confirm, generationsOf, reaches, withReplacements } from './scene.ts'

const scenario = (name: string, run: () => Promise<void>) => test(name, { timeout: 300_000 }, run)

scenario('readers_during_everything: a replica moves, and its bucket is read and written throughout without one error', async () => {
  await using stage = await startStage({ providers: 5, copies: 2, settings: withReplacements })
  const objects: StoredObject[] = []
  for (let n = 0; n < 4; n++) objects.push(await stage.put())
  for (const object of objects) await stage.stored(object)
  // Every read of these is from a provider, and then from the cache.
  stage.emptyCache()
  const stop = new AbortController()
  let reads = 0
  const use = (async () => {
    while (!stop.signal.aborted) {
      const object = objects[reads++ % objects.length] as StoredObject
      expect((await stage.get(object)).equals(object.bytes), object.key).toBe(true)
      if (reads % 8 === 0) objects.push(await stage.put())
      await sleep(50)
    }
  })()
  const confirmed = await confirm(stage)
  const done = await Promise.race([completes(stage, confirmed), use.then(() => Promise.reject(new Error('the reader stopped')))])
  stop.abort()
  await use
  expect(reads).toBeGreaterThan(20)
  expect(done).toMatchObject({ phase: 'none', lastError: null, progress: { isSeeded: true, percent: 100, byState: { failed: 0 } } })
  expect(done.progress.byState.copied).toBeGreaterThanOrEqual(4)
  expect(Number(done.terminationEpoch)).toBeGreaterThan(0)
  expect((await generationsOf(stage)).map(({ state, endCause }) => [state, endCause])).toEqual([
    ['retired', 'replaced'],
    ['ready', null],
  ])
  for (const object of objects) {
    const { copies } = await stage.stored(object)
    expect(copies.map(({ provider_id }) => provider_id)).toContain(confirmed.providerId)
  }
  const terminations = stage.network.devnet.providers
    .flatMap((one) => one.transactions())
    .filter(({ kind, ok }) => kind === 'terminate' && ok === true)
  expect(terminations).toHaveLength(1)
  expect(await stage.settle(objects)).toEqual([])
})

scenario('single_copy_bucket: the only replica of a bucket is replaced from the cache', async () => {
  await using stage = await startStage({ providers: 3, copies: 1, settings: withReplacements })
  const object = await stage.put()
  await stage.stored(object)
  const confirmed = await confirm(stage)
  expect(await completes(stage, confirmed)).toMatchObject({ progress: { total: 1, percent: 100, byState: { copied: 1 } } })
  expect((await stage.stored(object)).copies.map(({ provider_id }) => provider_id)).toEqual([confirmed.providerId])
  stage.emptyCache()
  expect((await stage.get(object)).equals(object.bytes)).toBe(true)
  expect(await stage.settle([object])).toEqual([])
})

scenario(
  'source_appears: the only copy of evicted bytes is at the old provider, which is kept; a GET brings them into the cache, and the item is copied',
  async () => {
    await using stage = await startStage({
      providers: 3,
      copies: 1,
      settings: { ...withReplacements, 'cache.eviction_policy': 'after_upload' },
    })
    const object = await stage.put()
    await stage.stored(object)
    await until('the bytes are evicted', async () => countCachedBlobs(stage.dir) === 0 || undefined)
    await stage.gateway.stop()
    // A read fills the cache under lru.
    saveConfigFile(join(stage.dir, 'config.toml'), { 'cache.eviction_policy': 'lru' })
    await using later = await restartStage(stage)
    const confirmed = await confirm(later)
    await reaches(later, confirmed, ({ status, waitReason }) => status === 'waiting' && waitReason === 'source')
    const [old] = await generationsOf(later)
    expect(old).toMatchObject({ state: 'write_blocked', endCause: null })
    expect((await later.get(object)).equals(object.bytes)).toBe(true)
    await completes(later, confirmed)
    expect(await later.settle([object])).toEqual([])
  },
)

scenario(
  'seed_includes_history: versions that are not current and those under a delete marker move too, and shared bytes once',
  async () => {
    await using stage = await startStage({ providers: 3, copies: 1, settings: withReplacements })
    const first = await stage.put()
    const second = await stage.put()
    const put = (Body: Buffer) => stage.s3.send(new PutObjectCommand({ Bucket, Key: first.key, Body }))
    const { VersionId: newer = '' } = await put(Buffer.alloc(3000, 'newer'))
    await put(first.bytes)
    await stage.s3.send(new DeleteObjectCommand({ Bucket, Key: second.key }))
    for (const one of [first, second, { ...first, versionId: newer }]) await stage.stored(one)
    const confirmed = await confirm(stage)
    expect(await completes(stage, confirmed)).toMatchObject({ progress: { total: 3, byState: { copied: 3 } } })
    for (const one of [first, second, { ...first, versionId: newer }])
      expect((await stage.stored(one)).copies.map(({ provider_id }) => provider_id)).toEqual([confirmed.providerId])
  },
)

scenario('two replicas of a bucket move at the same time, to different providers', async () => {
  await using stage = await startStage({ providers: 5, copies: 2, settings: withReplacements })
  const object = await stage.put()
  await stage.stored(object)
  const slots = await Promise.all([0, 1].map((slot) => generationsOf(stage, slot)))
  const confirmed = await Promise.all(slots.map(([one]) => confirm(stage, { dataSetId: one?.id })))
  for (const one of confirmed) await completes(stage, one)
  expect(new Set(confirmed.map(({ providerId }) => providerId)).size).toBe(2)
  expect(await stage.settle([object])).toEqual([])
})
