import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Clock, dueTimes } from '#kernel'
import { loadContributions } from '#kernel/host'
import { createFakeClock, silentLog } from '#kernel/testing'
import { storagePlugin } from '../../storage/plugin.ts'
import { type ColdStorage, openColdStorage } from '../../storage/testing/cold-storage.ts'
import { readAll } from '../../storage/testing/object-storage.ts'
import { collectUpTo } from '../../storage/testing/packs.ts'
import { packMigrations } from '../migrations.ts'
import { setPacking, setSealAsked } from '../policies/packing-store.ts'
import { openSegment } from '../segment/segment-reader.ts'
import { readRecord } from '../testing/read-record.ts'
import { sealBucket, turnMs } from './seal-pack.ts'

const limits = { bytes: 100_000, members: 1000, waitMs: 600_000, idleMs: 60_000 }

interface Scene extends ColdStorage {
  readonly clock: ReturnType<typeof createFakeClock>
  seal(change?: Partial<typeof limits>, clock?: Clock): ReturnType<typeof sealBucket>
  packIds(): readonly number[]
}

async function openScene(options: Parameters<typeof openColdStorage>[0] = {}): Promise<Scene> {
  const clock = createFakeClock()
  const storage = await openColdStorage({
    collector: collectUpTo(50_000),
    fillsOnRead: false,
    moreSchemas: [{ name: 'packs', migrations: packMigrations }],
    clock,
    ...options,
  })
  const { database, packs, cache, cached } = storage
  await database.write((tx) => setPacking(tx, 1, 'small'))
  return Object.assign(storage, {
    clock,
    packIds: () => storage.keeper.needed.map(({ id }) => id),
    seal: (change: Partial<typeof limits> = {}, own: Clock = clock) =>
      sealBucket(
        {
          ...{ database, packs, cached, gauge: cache, clock: own, log: silentLog },
          signal: new AbortController().signal,
          fence: (own) => own,
          limitsOf: async () => ({ ...limits, ...change }),
        },
        { bucketId: 1, bucket: 'photos' },
      ),
  })
}

/** The bytes of a pack from its cached file. */
async function bytesOf({ cached }: Scene, packId: number): Promise<Buffer> {
  return readFileSync((await cached.locate(packId))?.segments[0]?.path ?? '')
}

async function recordsOf(bytes: Buffer, bucket = 'photos') {
  const source = { size: bytes.length, read: async (start: number, end: number) => Buffer.from(bytes.subarray(start, end + 1)) }
  const records: { readonly key: string | undefined; readonly bytes: Buffer; readonly versions: number }[] = []
  for await (const entry of (await openSegment(source, bucket)).entries()) {
    records.push({ key: entry.versions[0]?.key, bytes: await readRecord(source, entry), versions: entry.versions.length })
  }
  return records
}

test.each([0, 16_384])(
  'contents wait until the bucket is idle, then are one segment with the facts of their versions (database bytes %i)',
  async (max) => {
    await using scene = await openScene({ databaseBytesMax: max })
    const bodies = [randomBytes(10), randomBytes(20_000), randomBytes(3000)]
    for (const [at, body] of bodies.entries()) await scene.put(`k${at}`, body)
    await scene.clock.advance(1)
    await scene.put('again', bodies[0] ?? '')
    expect(await scene.seal()).toMatchObject({ kind: 'wait', reason: 'pack', untilMs: scene.clock.now() + 59_999 })
    expect(scene.packIds()).toEqual([])
    await scene.clock.advance(60_000)
    expect(await scene.seal()).toEqual({ kind: 'done' })
    const [packId = 0] = scene.packIds()
    const bytes = await bytesOf(scene, packId)
    expect(await recordsOf(bytes)).toEqual([
      { key: 'again', bytes: bodies[0], versions: 2 },
      { key: 'k1', bytes: bodies[1], versions: 1 },
      { key: 'k2', bytes: bodies[2], versions: 1 },
    ])
    await expect(recordsOf(bytes, 'other')).rejects.toThrow(/not of bucket/)
    await scene.expectSound()
    // The places in the rows are those in the segment.
    scene.source.copies.set(packId, bytes)
    scene.keeper.copies.set(packId, 2)
    await scene.database.write((tx) => scene.contents.recount(tx, [packId], 1))
    for (const [at, body] of bodies.entries()) {
      const opened = await scene.objects.find('photos', `k${at}`)
      expect(await scene.cache.evict(opened?.contentId ?? 0)).toBe(body.length)
      expect(await readAll(await scene.objects.open('photos', `k${at}`))).toEqual(body)
    }
    expect(await scene.seal()).toEqual({ kind: 'done' })
  },
)

test('more than a pack is sealed pack by pack at once, and the rest waits', async () => {
  await using scene = await openScene()
  for (let at = 0; at < 5; at++) await scene.put(`k${at}`, randomBytes(40_000))
  expect(await scene.seal()).toMatchObject({ kind: 'wait', reason: 'pack' })
  expect(scene.packIds()).toHaveLength(2)
  expect(await scene.packs.sumWaiting(scene.database.read, 1)).toMatchObject({ contents: 1, bytes: 40_000 })
  await scene.put('k5', randomBytes(10))
  expect(await scene.seal({ members: 2 })).toEqual({ kind: 'done' })
  expect(scene.packIds()).toHaveLength(3)
  await scene.expectSound()
})

test('a bucket that is due again and again lets others have their turn', async () => {
  await using scene = await openScene()
  for (let at = 0; at < 6; at++) await scene.put(`k${at}`, randomBytes(1000))
  const { create } = scene.packs
  Object.assign(scene.packs, {
    async create(pack: Parameters<typeof create>[0]) {
      await scene.clock.advance(turnMs / 2)
      return await create(pack)
    },
  })
  for (const packs of [2, 4]) {
    expect(await scene.seal({ members: 1 })).toEqual({ kind: 'wait', reason: 'pack', untilMs: scene.clock.now() })
    expect(scene.packIds()).toHaveLength(packs)
  }
})

test('a pack keeps its size with long metadata, and lists as many versions of a content as have room', async () => {
  await using scene = await openScene()
  const headers = () => ({ contentType: '', system: {}, user: { note: randomBytes(1500).toString('base64') } })
  const body = randomBytes(100)
  for (let at = 0; at < 20; at++) await scene.put(`same${at}`, body, { headers: headers() })
  for (let at = 0; at < 60; at++) await scene.put(`k${at}`, randomBytes(100), { headers: headers() })
  await scene.clock.advance(60_000)
  expect(await scene.seal({ bytes: 100_000 })).toEqual({ kind: 'done' })
  const packs = await Promise.all(scene.packIds().map((packId) => bytesOf(scene, packId)))
  expect(packs.length).toBeGreaterThan(1)
  for (const { length } of packs) expect(length).toBeLessThanOrEqual(100_000)
  const records = (await Promise.all(packs.map((bytes) => recordsOf(bytes)))).flat()
  expect(records).toHaveLength(61)
  expect(records[0]).toMatchObject({ bytes: body, versions: 7 })
})

test('an operator seals what waits, once', async () => {
  await using scene = await openScene()
  await scene.put('a', 'one')
  await scene.database.write((tx) => setSealAsked(tx, 1, true))
  expect(await scene.seal()).toEqual({ kind: 'done' })
  expect(scene.packIds()).toHaveLength(1)
  await scene.put('b', 'two')
  expect(await scene.seal()).toMatchObject({ kind: 'wait' })
})

test.each(['an operator asked', 'the cache is under pressure'])(
  'objects that arrive while a pack is written wait for the next one, when %s',
  async (why) => {
    await using scene = await openScene({ maxBytes: 10_000_000 })
    await scene.put('first', randomBytes(1000))
    await scene.clock.advance(limits.idleMs / 2)
    if (why === 'an operator asked') await scene.database.write((tx) => setSealAsked(tx, 1, true))
    using full = await scene.cache.reserve(why === 'an operator asked' ? 0 : 9_000_000)
    expect(full).toBeDefined()
    const { create } = scene.packs
    let arrived = 0
    Object.assign(scene.packs, {
      async create(pack: Parameters<typeof create>[0]) {
        const packId = await create(pack)
        await scene.clock.advance(10)
        if (arrived < 5) await scene.put(`later${arrived++}`, randomBytes(1000))
        return packId
      },
    })
    expect(await scene.seal()).toMatchObject({ kind: 'wait', reason: 'pack' })
    expect(scene.packIds().length).toBe(1)
    expect(arrived).toBe(1)
  },
)

test('under pressure of the cache it is sealed early, and without room for a pack the contents become pieces of their own', async () => {
  await using scene = await openScene({ maxBytes: 10_000_000 })
  const [a, b] = [await scene.put('a', randomBytes(1000)), await scene.put('b', randomBytes(1000))]
  using full = await scene.cache.reserve(9_920_000)
  expect(await scene.seal()).toMatchObject({ kind: 'wait', reason: 'pack', untilMs: scene.clock.now() + limits.idleMs / 10 })
  await scene.clock.advance(limits.idleMs / 10)
  expect(await scene.seal()).toMatchObject({ kind: 'wait', reason: 'cache' })
  expect(scene.packIds()).toEqual([a.contentId, b.contentId])
  full[Symbol.dispose]()
  await scene.put('c', randomBytes(1000))
  using fuller = await scene.cache.reserve(9_000_000)
  expect(fuller).toBeDefined()
  await scene.clock.advance(limits.idleMs / 10)
  expect(await scene.seal()).toEqual({ kind: 'done' })
  expect(scene.packIds()).toHaveLength(3)
  await scene.packs.releaseFile(scene.packIds()[2] ?? 0)
})

test('a content whose cached bytes are damaged is left to the keepers, and the others are packed', async () => {
  await using scene = await openScene()
  const [a, b] = [await scene.put('a', randomBytes(1000)), await scene.put('b', randomBytes(1000))]
  const [file = ''] = scene.files()
  const { writeFileSync } = await import('node:fs')
  writeFileSync(file, randomBytes(1000))
  await scene.clock.advance(60_000)
  expect(await scene.seal()).toEqual({ kind: 'done' })
  const needed = scene.packIds()
  expect(needed).toHaveLength(2)
  const alone = needed.filter((id) => id === a.contentId || id === b.contentId)
  expect(alone).toHaveLength(1)
})

test.each([
  ['is gone', (path: string) => rmSync(path)],
  [
    'cannot be read',
    (path: string) => {
      rmSync(path)
      mkdirSync(path)
    },
  ],
])('a content whose cached file %s after it was found keeps no other content of the bucket waiting', async (_how, damage) => {
  await using scene = await openScene()
  const [a, b] = [await scene.put('a', randomBytes(1000)), await scene.put('b', randomBytes(1000))]
  const { locate } = scene.cached
  Object.assign(scene.cached, {
    async locate(contentId: number) {
      const file = await locate(contentId)
      if (contentId === a.contentId) damage(file?.segments[0]?.path ?? '')
      return file
    },
  })
  await scene.clock.advance(60_000)
  expect(await scene.seal()).toEqual({ kind: 'done' })
  expect(scene.packIds()).toHaveLength(2)
  expect(scene.packIds()).toContain(a.contentId)
  expect(scene.packIds()).not.toContain(b.contentId)
})

test('after the clock was set back, what waits since a later time is sealed in time', async () => {
  await using scene = await openScene()
  await scene.put('a', randomBytes(1000))
  const nowMs = () => scene.clock.now() - 86_400_000
  const clock = { ...scene.clock, now: nowMs }
  const times = (await loadContributions(dueTimes, [storagePlugin])).map(({ item }) => item)
  await scene.database.write(async (tx) => {
    for (const { bound } of times) await bound(tx, nowMs())
  })
  expect(await scene.seal({}, clock)).toMatchObject({ kind: 'wait', untilMs: nowMs() + limits.idleMs })
  await scene.clock.advance(limits.idleMs)
  expect(await scene.seal({}, clock)).toEqual({ kind: 'done' })
  expect(scene.packIds()).toHaveLength(1)
})

test('contents that are deleted while their pack is written are no members, and their bytes are dead from the start', async () => {
  await using scene = await openScene()
  const a = await scene.put('a', randomBytes(1000))
  await scene.put('b', randomBytes(1000))
  await scene.clock.advance(60_000)
  const { create } = scene.packs
  Object.assign(scene.packs, {
    create: (pack: Parameters<typeof create>[0]) =>
      create({
        ...pack,
        body: (async function* () {
          yield* pack.body
          await scene.versions.delete({ bucket: 'photos', key: 'a', versionId: a.versionId })
        })(),
      }),
  })
  expect(await scene.seal()).toEqual({ kind: 'done' })
  const [packId = 0] = scene.packIds()
  expect(await recordsOf(await bytesOf(scene, packId))).toHaveLength(2)
  await scene.expectSound()
})
