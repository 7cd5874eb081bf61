/** Which room fills of the cache may take, and that uploads get it back. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRows, createFakeClock, type FakeClock, watchProbes } from '#kernel/testing'
import { updateReleasable } from '../../catalog/cached/releasable-store.ts'
import { type ColdStorage, openColdStorage } from '../../testing/cold-storage.ts'
import { readAll } from '../../testing/object-storage.ts'
import type { FillLimits } from './fill-policy.ts'

const minute = 60_000

type TestStorage = ColdStorage & { readonly clock: FakeClock }

/** A cache of 1000 bytes. Its fills may take all of it. */
async function openStorage(limits: Partial<FillLimits> = {}): Promise<TestStorage> {
  const clock = createFakeClock()
  const rules = { policy: 'lru', highBytes: 500, lowBytes: 300 } as const
  return { ...(await openColdStorage({ maxBytes: 1000, rules, clock, fillLimits: { capacityShare: 1, ...limits } })), clock }
}

/** Puts objects of 100 bytes that may be evicted, two minutes apart. */
async function putWarm(storage: TestStorage, keys: string): Promise<void> {
  for (const key of keys) {
    await storage.clock.advance(2 * minute)
    const version = await storage.put(key, randomBytes(100))
    for (const _copy of [1, 2]) await storage.keep(version)
    await storage.database.write((tx) => updateReleasable(tx, version.contentId ?? 0))
  }
}

async function read(storage: TestStorage, key: string): Promise<void> {
  await storage.clock.advance(2 * minute)
  expect((await readAll(await storage.objects.open('photos', key))).length).toBeGreaterThan(0)
  await storage.settled()
}

const cached = async ({ database }: ColdStorage): Promise<string> =>
  (
    await allRows<{ key: string }>(
      database.read,
      `select v.key from object_versions v join cache_entries e on e.content_id = v.content_id and e.state = 'present' order by 1`,
    )
  )
    .map(({ key }) => key)
    .join('')

test('a fill takes free space, and stays below the high watermark', async () => {
  await using storage = await openStorage()
  await storage.putCold('x', randomBytes(99))
  await storage.putCold('y', randomBytes(100))
  await putWarm(storage, 'abcd')
  await read(storage, 'y')
  expect(await cached(storage)).toBe('abcd')
  await read(storage, 'x')
  expect([await cached(storage), storage.cache.stats().usedBytes]).toEqual(['abcdx', 499])
  await storage.expectSound()
})

test('the second read of a content displaces contents that were not read since the first one, oldest first', async () => {
  await using storage = await openStorage()
  await storage.putCold('x', randomBytes(250))
  await putWarm(storage, 'abcd')
  await read(storage, 'x')
  await read(storage, 'a')
  await read(storage, 'x')
  expect([await cached(storage), storage.cache.stats().usedBytes]).toEqual(['adx', 450])
  expect(storage.source.downloads).toHaveLength(2)
  await storage.expectSound()
})

test('a fill displaces nothing that was read since the previous read of its content', async () => {
  await using storage = await openStorage()
  await storage.putCold('x', randomBytes(250))
  await putWarm(storage, 'abcd')
  await read(storage, 'x')
  for (const key of 'bcd') await read(storage, key)
  await read(storage, 'x')
  // The only one that was not read since is too small.
  expect(await cached(storage)).toBe('abcd')
  expect(storage.cache.fillCounts.started).toBe(0)
  await storage.expectSound()
})

test('one pass over contents that are not cached displaces nothing', async () => {
  await using storage = await openStorage()
  const scanned = ['u', 'v', 'w', 'x', 'y', 'z']
  for (const key of scanned) await storage.putCold(key, randomBytes(100))
  await putWarm(storage, 'abcd')
  for (const key of scanned) await read(storage, key)
  expect(await cached(storage)).toBe('abcd')
})

test('fills together hold at most their share of the capacity and a number of files', async () => {
  for (const limits of [{ capacityShare: 0.1 }, { fillsMax: 1 }]) {
    await using storage = await openStorage(limits)
    for (const key of 'xy') await storage.putCold(key, randomBytes(100))
    using probes = watchProbes()
    const hold = probes.holdAt('storage.fill.written')
    const readX = readAll(await storage.objects.open('photos', 'x'))
    await hold.reached
    await readAll(await storage.objects.open('photos', 'y'))
    expect(storage.cache.stats().reservedBytes).toBe(100)
    hold.release()
    await readX
    await storage.settled()
    expect(await cached(storage)).toBe('x')
  }
})

test('I-23: an upload is not refused because a fill holds the room: the fill ends, and its readers continue', async () => {
  await using storage = await openStorage()
  const { bytes } = await storage.putCold('x', randomBytes(400))
  const hold = storage.source.holdAt(0)
  const reading = readAll(await storage.objects.open('photos', 'x'))
  await hold.reached
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 0, reservedBytes: 400 })
  await storage.put('p', randomBytes(700))
  expect(Buffer.compare(await reading, bytes)).toBe(0)
  hold.release()
  await storage.settled()
  expect([await cached(storage), storage.cache.stats().usedBytes]).toEqual(['p', 700])
  await storage.expectSound()
})

test('an upload of unknown length gets the room of fills while it grows', async () => {
  await using storage = await openStorage()
  await storage.putCold('x', randomBytes(400))
  const hold = storage.source.holdAt(0)
  const reading = readAll(await storage.objects.open('photos', 'x'))
  await hold.reached
  const reservation = await storage.cache.reserveArriving({})
  await reservation.cover(900)
  expect(storage.cache.stats().reservedBytes).toBe(1000)
  reservation[Symbol.dispose]()
  hold.release()
  await reading
  await storage.expectSound()
})

test('a fill continues when the upload would not fit without it either', async () => {
  await using storage = await openStorage()
  await storage.putCold('x', randomBytes(100))
  await putWarm(storage, 'ab')
  const hold = storage.source.holdAt(0)
  const reading = readAll(await storage.objects.open('photos', 'x'))
  await hold.reached
  await expect(storage.put('p', randomBytes(900))).rejects.toMatchObject({ code: 'cache_busy' })
  hold.release()
  await reading
  await storage.settled()
  expect(await cached(storage)).toBe('abx')
})
