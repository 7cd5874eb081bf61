import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, truncateSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { getRow, runSql } from '#kernel/testing'
import { filesBelow } from '../../testing/files-below.ts'
import { canMount, type MountedCache, mountCache, renameCache } from '../../testing/mounted-cache.ts'
import { chunksOf, type ObjectStorage, openObjectStorage, readAll } from '../../testing/object-storage.ts'
import { cacheHealth } from '../../upkeep/cache-health.ts'
import { createCachedContents } from '../cached-contents.ts'
import { identityPath, writeIdentity } from './identity.ts'

const bytes = randomBytes(100_000)
const unavailable = { code: 'cache_unavailable', status: 503 }

const health = ({ cache }: ObjectStorage) => cacheHealth.check({ cache } as never, AbortSignal.timeout(1000))
const read = async (storage: ObjectStorage, key: string) => Buffer.from(await readAll(await storage.objects.open('photos', key)))
const rows = ({ database }: ObjectStorage) =>
  getRow(
    database.read,
    'select (select count(*) from cache_blobs) as files, (select count(*) from cache_epochs where swept_at > 0) as swept',
  )

/** A restarted gateway, which has made few folders, with an older object. */
async function restarted({ dir }: MountedCache): Promise<ObjectStorage> {
  const first = await openObjectStorage({ dir })
  await first.put('older', bytes)
  await first.stop()
  return openObjectStorage({ dir })
}

describe.each([
  { way: 'is unmounted', open: mountCache, isPossible: canMount },
  { way: 'is renamed', open: renameCache, isPossible: true },
])('when the folder $way', ({ open, isPossible }) => {
  const attack = test.runIf(isPossible)

  attack('I-38: writes stop at once, no row is forgotten, nothing is swept, and its return heals without a restart', async () => {
    using place = open()
    await using storage = await restarted(place)
    const before = await rows(storage)
    expect(await health(storage)).toBeUndefined()
    place.drop()
    await expect(storage.put('k', bytes.subarray(1))).rejects.toMatchObject(unavailable)
    await expect(storage.objects.open('photos', 'older')).rejects.toMatchObject({ code: 'content_unavailable' })
    expect(await health(storage)).toMatch(/^cache: /)
    const cached = createCachedContents({ ...storage, reconcileCapacity: async () => {} })
    await expect(cached.locate(1)).rejects.toMatchObject(unavailable)
    await storage.cache.startUpkeep()
    expect([await rows(storage), filesBelow(place.below)]).toEqual([before, []])
    place.restore()
    expect((await read(storage, 'older')).equals(bytes)).toBe(true)
    expect(await health(storage)).toBeUndefined()
    await storage.put('k', bytes.subarray(1))
    expect((await read(storage, 'k')).equals(bytes.subarray(1))).toBe(true)
  })

  attack('I-38: a write that began before is refused', async () => {
    using place = open()
    await using storage = await restarted(place)
    async function* slow() {
      yield* chunksOf(bytes.subarray(2))
      place.drop()
    }
    await expect(storage.put('k', bytes.subarray(2), { body: slow() })).rejects.toMatchObject(unavailable)
    expect(filesBelow(place.below)).toEqual([])
    place.restore()
    await storage.put('k', bytes.subarray(2))
  })

  attack('I-38: the same files on another device are the cache, and folders that were open before are opened there', async () => {
    using place = open()
    await using storage = await restarted(place)
    await storage.put('k', bytes.subarray(3))
    place.drop()
    place.replace()
    // The open folder is still on the former device.
    await expect(storage.put('l', bytes.subarray(4))).rejects.toMatchObject(unavailable)
    await storage.put('l', bytes.subarray(4))
    for (const [key, from] of [
      ['older', 0],
      ['k', 3],
      ['l', 4],
    ] as const)
      expect((await read(storage, key)).equals(bytes.subarray(from))).toBe(true)
  })

  attack('I-38: a start without it is refused, and changes nothing', async () => {
    using place = open()
    await (await restarted(place)).stop()
    place.drop()
    await expect(openObjectStorage({ dir: place.dir })).rejects.toThrow(/cache-id is missing; mount its disk/)
    expect(filesBelow(place.below)).toEqual([])
    place.restore()
    await using storage = await openObjectStorage({ dir: place.dir })
    expect((await read(storage, 'older')).equals(bytes)).toBe(true)
  })
})

describe('the identity of the folder', () => {
  test('is kept by later starts', async () => {
    using place = renameCache()
    const storage = await restarted(place)
    const id = readFileSync(identityPath(place.below), 'utf8')
    await storage.stop()
    await using again = await openObjectStorage({ dir: place.dir })
    expect(readFileSync(identityPath(place.below), 'utf8')).toBe(id)
    expect(await getRow(again.database.read, 'select distinct cache_id as id from cache_epochs')).toEqual({ id: id.trim() })
  })

  const makeEarlier = async (place: MountedCache) => {
    await using storage = await restarted(place)
    await storage.database.write((tx) => runSql(tx, 'update cache_epochs set cache_id = null'))
    rmSync(identityPath(place.below))
  }

  test('is given to the folder of an earlier version, if most recorded files are in it', async () => {
    using place = renameCache()
    await makeEarlier(place)
    await using storage = await openObjectStorage({ dir: place.dir })
    expect((await read(storage, 'older')).equals(bytes)).toBe(true)
    expect(filesBelow(place.below)).toContain('cache-id')
  })

  test('is not given to an empty folder while files of an earlier version are recorded', async () => {
    using place = renameCache()
    await makeEarlier(place)
    place.drop()
    await expect(openObjectStorage({ dir: place.dir })).rejects.toThrow('is not the cache whose files this database records')
    expect(filesBelow(place.below)).toEqual([])
  })

  test('is replaced by an operator with an empty file; the former disk is then refused', async () => {
    using place = renameCache()
    await (await restarted(place)).stop()
    const former = readFileSync(identityPath(place.below), 'utf8').trim()
    truncateSync(identityPath(place.below))
    await (await openObjectStorage({ dir: place.dir })).stop()
    await writeIdentity(place.below, former)
    await expect(openObjectStorage({ dir: place.dir })).rejects.toThrow('cache-id is the identity of another cache')
  })
})

test.runIf(canMount)('a disk that became read-only is reported, and refuses writes, until it is mounted for writing', async () => {
  using place = mountCache()
  await using storage = await restarted(place)
  place.remount('ro')
  expect(await health(storage)).toBe('cache: mounted read-only')
  await expect(storage.put('k', bytes.subarray(5))).rejects.toMatchObject({ code: 'cache_write_failed' })
  expect((await read(storage, 'older')).equals(bytes)).toBe(true)
  place.remount('rw')
  expect(await health(storage)).toBeUndefined()
  await storage.put('k', bytes.subarray(5))
})

test.runIf(canMount)('a start on a disk that is mounted read-only says so', async () => {
  using place = mountCache()
  await (await restarted(place)).stop()
  place.remount('ro')
  await expect(openObjectStorage({ dir: place.dir })).rejects.toThrow(/^cache.dir .+ cannot be used: EROFS.+; mount its disk for writing$/)
})
