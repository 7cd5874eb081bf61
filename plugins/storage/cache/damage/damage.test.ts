/** I-37: what happens to cached files that fail a verification. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rename, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Finding } from '#kernel/system'
import { allRows, createFakeClock, getRow, runSql, silentLog } from '#kernel/testing'
import { blobsOfContent } from '../../catalog/cached/cache-entry-store.ts'
import type { ObjectVersion, OpenedObject } from '../../contract.ts'
import { storageChecks } from '../../doctor/checks.ts'
import { storageFixes } from '../../doctor/fixes.ts'
import { findingsOf } from '../../testing/check-invariants.ts'
import { flipByte } from '../../testing/flip-byte.ts'
import { chunksOf, type ObjectStorageOptions, readAll } from '../../testing/object-storage.ts'
import { stageUploads } from '../../testing/staged-uploads.ts'
import { openVersionStorage, type VersionStorage } from '../../testing/version-storage.ts'
import { createCachedContents } from '../cached-contents.ts'
import { type Disk, realDisk } from '../files/disk.ts'
import { quarantineFolder, quarantineMs } from './quarantine.ts'

const kib = 1024

async function pathsOf({ database, cache }: VersionStorage, { contentId }: ObjectVersion): Promise<string[]> {
  return (await blobsOfContent(database.read, contentId ?? 0)).map(cache.pathOf)
}
const pathOf = async (storage: VersionStorage, version: ObjectVersion) => (await pathsOf(storage, version))[0] ?? ''
const quarantineOf = ({ dir }: VersionStorage): string[] => {
  const folder = join(dir, 'cache', quarantineFolder)
  return existsSync(folder) ? readdirSync(folder) : []
}
const read = async ({ objects }: VersionStorage, key = 'k') => Buffer.from(await readAll(await objects.open('photos', key)))
const states = ({ database }: VersionStorage) =>
  allRows(database.read, 'select e.state, c.store_state as store from cache_entries e join contents c on c.id = e.content_id order by c.id')

/** A source with these bytes, by key. */
function sourceOf(bytes: Readonly<Record<string, Buffer>>): Pick<ObjectStorageOptions, 'openUncached'> {
  return {
    openUncached: async (version): Promise<OpenedObject> => {
      const all = bytes[version.key]
      if (!all) throw new Error('no provider has the bytes')
      const range = ({ start, end } = { start: 0, end: all.length - 1 }) => chunksOf(all.subarray(start, end + 1))
      return { version, source: 'provider', read: range, async [Symbol.asyncDispose]() {} }
    },
  }
}

async function look(storage: VersionStorage, name: string): Promise<readonly Finding[]> {
  const check = storageChecks.find((one) => one.name === name)
  if (!check) throw new Error(`no check is named ${name}`)
  return findingsOf(check, storage.database.read, { settings: { dir: join(storage.dir, 'cache') } })
}

async function applyFix({ database, cache, dir }: VersionStorage, { fix }: Finding): Promise<boolean | undefined> {
  const found = storageFixes.find(({ name }) => name === fix?.name)
  expect(fix?.target).toMatch(found?.target.pattern ?? /^$/)
  return found?.apply({ database, cache, settings: { dir: join(dir, 'cache') } } as never, fix?.target ?? '')
}

/** A disk whose page cache has a wrong byte in every block of files that are read after `isFaulty` was set. */
function faultyMemory() {
  const fault = { isFaulty: false }
  const disk: Disk = {
    ...realDisk,
    // The temporary directory may have no direct reads.
    openDirect: realDisk.open,
    async read(descriptor, buffer, position) {
      const count = await realDisk.read(descriptor, buffer, position)
      if (fault.isFaulty) buffer[0] = (buffer[0] ?? 0) ^ 1
      return count
    },
  }
  return { fault, disk }
}

for (const [what, size] of [
  ['small', 4 * kib],
  ['of one block', 200 * kib],
] as const) {
  test(`I-37: a file ${what} that the page cache has wrongly is read from its device, and stays`, async () => {
    const { fault, disk } = faultyMemory()
    const warnings: string[] = []
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
    await using storage = await openVersionStorage({ disk, log })
    const bytes = randomBytes(size)
    const version = await storage.put('k', bytes)
    await storage.keep(version)
    const path = await pathOf(storage, version)
    fault.isFaulty = true
    for (let reads = 0; reads < 2; reads++) expect((await read(storage)).equals(bytes)).toBe(true)
    expect(await states(storage)).toEqual([{ state: 'present', store: 'unstored' }])
    expect([await pathOf(storage, version), existsSync(path), quarantineOf(storage)]).toEqual([path, true, []])
    expect(warnings).toEqual([expect.stringContaining('check memory, cables and controllers')])
    await storage.expectSound()
  })
}

test('I-37: a large file that the page cache has wrongly fails one read, and the next one comes from its device', async () => {
  const { fault, disk } = faultyMemory()
  await using storage = await openVersionStorage({ disk })
  const bytes = randomBytes(3000 * kib + 77)
  const version = await storage.put('k', bytes)
  await storage.keep(version)
  fault.isFaulty = true
  await expect(read(storage)).rejects.toMatchObject({ code: 'content_unavailable' })
  expect((await read(storage)).equals(bytes)).toBe(true)
  const range = { start: 700_001, end: 2_900_000 }
  expect(
    Buffer.from(await readAll(await storage.objects.open('photos', 'k'), range)).equals(bytes.subarray(range.start, range.end + 1)),
  ).toBe(true)
  await storage.expectSound()
})

test('I-37: a background read with wrong bytes does not touch a file whose disk has the right ones', async () => {
  await using storage = await openVersionStorage()
  const staged = stageUploads(storage.uploads)
  const version = await staged.object('k', ['one', 'two', 'three', 'four'])
  await storage.keep(version)
  const before = await pathsOf(storage, version)
  const cached = createCachedContents({ ...storage, reconcileCapacity: async () => {} })
  await cached.settle(version.contentId ?? 0)
  expect(await pathsOf(storage, version)).toEqual(before)
  expect(before.map(existsSync)).toEqual([true, true, true, true])
  await storage.expectSound()
})

test('I-37: of four parts one is damaged: the others are served and stay, and the upload to a provider gets no bytes until it is repaired', async () => {
  await using storage = await openVersionStorage()
  const staged = stageUploads(storage.uploads)
  const version = await staged.object('k', ['one,', 'two,', 'three,', 'four'])
  const id = version.contentId ?? 0
  const paths = await pathsOf(storage, version)
  await flipByte(paths[2] ?? '', 1)
  const cached = createCachedContents({ ...storage, reconcileCapacity: async () => {} })
  await cached.settle(id)
  expect(await states(storage)).toEqual([{ state: 'damaged', store: 'lost' }])
  expect([await cached.isDamaged(id), await cached.countDamaged(), await cached.locate(id)]).toEqual([true, 1, undefined])
  const range = async (start: number, end: number) =>
    Buffer.from(await readAll(await storage.objects.open('photos', 'k'), { start, end })).toString()
  expect([await range(0, 7), await range(14, 17)]).toEqual(['one,two,', 'four'])
  const blocks: Uint8Array[] = []
  await using opened = await storage.objects.open('photos', 'k')
  const whole = async () => {
    for await (const block of opened.read()) blocks.push(block)
  }
  await expect(whole()).rejects.toMatchObject({ code: 'content_unavailable', message: expect.stringContaining('is kept') })
  // Refused before the first byte, so that a client gets an error and not a part.
  expect([blocks, paths.map(existsSync)]).toEqual([[], [true, true, true, true]])

  const [finding, ...others] = await look(storage, 'storage.damaged-files')
  expect(others).toEqual([])
  expect(finding).toMatchObject({
    severity: 'error',
    invariant: 'I-37',
    subject: { key: 'k' },
    message: expect.stringContaining(paths[2] ?? ''),
  })
  expect(await applyFix(storage, finding as Finding)).toBe(false)
  await flipByte(paths[2] ?? '', 1)
  storage.keeper.needed.length = 0
  expect(await applyFix(storage, finding as Finding)).toBe(true)
  expect(await states(storage)).toEqual([{ state: 'present', store: 'unstored' }])
  // Its copies can be made now.
  expect(storage.keeper.needed).toMatchObject([{ id, reason: 'recovered' }])
  expect([await read(storage), (await cached.locate(id))?.segments.length]).toEqual([Buffer.from('one,two,three,four'), 4])
  await storage.expectSound()
})

test('I-02 I-20 I-37: a damaged file is not evicted and does not count as cached; a put of the same bytes replaces it', async () => {
  await using storage = await openVersionStorage()
  const version = await storage.put('k', 'bytes')
  const path = await pathOf(storage, version)
  await flipByte(path, 0)
  await expect(read(storage)).rejects.toMatchObject({ code: 'content_unavailable' })
  await storage.database.write((tx) => runSql(tx, 'update cache_entries set releasable = 1'))
  expect(await storage.cache.evict(version.contentId ?? 0)).toBe(0)
  await storage.database.write((tx) => runSql(tx, 'update cache_entries set releasable = 0'))
  expect([existsSync(path), await states(storage)]).toEqual([true, [{ state: 'damaged', store: 'lost' }]])
  await expect(
    storage.objects.copy({ source: { bucket: 'photos', key: 'k' }, target: { bucket: 'photos', key: 'copy' } }),
  ).rejects.toThrow()
  const newer = await storage.put('k', 'newer')
  const restore = { bucket: 'photos', key: 'k', versionId: version.versionId, expectedCurrentVersionId: newer.versionId }
  await expect(storage.versions.restore(restore)).rejects.toMatchObject({ code: 'restore_source_unreadable' })
  await storage.expectSound()
  await storage.put('again', 'bytes')
  expect((await readAll(await storage.objects.open('photos', 'k', version.versionId))).length).toBe(5)
  expect([existsSync(path), await look(storage, 'storage.damaged-files')]).toEqual([false, []])
  await storage.expectSound()
})

test('I-37: with a readable copy a damaged file goes to the quarantine, and the doctor brings it back when its bytes are right', async () => {
  const bytes = randomBytes(300 * kib)
  await using storage = await openVersionStorage(sourceOf({ k: bytes }))
  const version = await storage.put('k', bytes)
  await storage.keep(version)
  const path = await pathOf(storage, version)
  await flipByte(path, 0)
  expect((await read(storage)).equals(bytes)).toBe(true)
  const name = path.slice(path.lastIndexOf('/') + 1)
  expect([existsSync(path), quarantineOf(storage), await states(storage)]).toEqual([false, [name], []])
  expect(storage.cache.stats().usedBytes).toBe(bytes.length)
  expect(await look(storage, 'storage.quarantine')).toEqual([])
  await storage.expectSound()

  await flipByte(join(storage.dir, 'cache', quarantineFolder, name), 0)
  const [finding] = await look(storage, 'storage.quarantine')
  expect(finding).toMatchObject({ severity: 'warning', subject: { id: name, key: 'k' } })
  expect(await applyFix(storage, finding as Finding)).toBe(true)
  expect(await applyFix(storage, finding as Finding)).toBe(false)
  expect([existsSync(path), quarantineOf(storage), await look(storage, 'storage.quarantine')]).toEqual([true, [], []])
  expect((await storage.objects.open('photos', 'k')).source).toBe('cache')
  expect((await read(storage)).equals(bytes)).toBe(true)
  await storage.expectSound()
})

test('I-23 I-37: the quarantine has a limit and an age, ends with its content, and gives its room to uploads', async () => {
  const clock = createFakeClock()
  const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, randomBytes(4 * kib)]))
  await using storage = await openVersionStorage({ ...sourceOf(files), clock, maxBytes: 100 * kib })
  const lose = async (key: string, bytes: Buffer) => {
    const version = await storage.put(key, bytes)
    await storage.keep(version)
    await flipByte(await pathOf(storage, version), 0)
    expect((await read(storage, key)).equals(bytes)).toBe(true)
    await clock.advance(1000)
    return version
  }
  // Above a tenth of the cache.
  const large = randomBytes(11 * kib)
  files.large = large
  await lose('large', large)
  expect([quarantineOf(storage), storage.cache.stats().usedBytes]).toEqual([[], 0])
  for (const key of ['a', 'b', 'c']) await lose(key, files[key] ?? Buffer.alloc(0))
  // The oldest one went: three are above the limit.
  expect([quarantineOf(storage).length, storage.cache.stats().usedBytes]).toEqual([2, 8 * kib])
  await storage.expectSound()
  const pass = () => storage.cache.reconcileCapacity(new AbortController().signal)
  await storage.versions.deletePermanently({
    bucket: 'photos',
    key: 'b',
    versionId: (await storage.objects.find('photos', 'b'))?.versionId ?? '',
  })
  await pass()
  expect([quarantineOf(storage).length, storage.cache.stats().usedBytes]).toEqual([1, 4 * kib])
  const whole = { bucket: 'photos', key: 'whole', body: chunksOf(Buffer.alloc(97 * kib)), size: 97 * kib } as const
  const headers = { contentType: 'text/plain', system: {}, user: {} }
  await expect(storage.objects.put({ ...whole, headers })).rejects.toMatchObject({ code: 'cache_busy' })
  expect([quarantineOf(storage), storage.cache.stats().usedBytes]).toEqual([[], 0])
  await lose('d', files.d ?? Buffer.alloc(0))
  await clock.advance(quarantineMs - 1000)
  await pass()
  expect(quarantineOf(storage)).toHaveLength(1)
  await clock.advance(1)
  await pass()
  expect([quarantineOf(storage), storage.cache.stats().usedBytes]).toEqual([[], 0])
  await storage.expectSound()
})

test('I-37: a damaged part beside intact ones stays for a week, and its entry is dropped then only if the bucket has its copies (I-02)', async () => {
  const clock = createFakeClock()
  await using storage = await openVersionStorage({ ...sourceOf({ k: Buffer.from('one,two') }), clock })
  const version = await stageUploads(storage.uploads).object('k', ['one,', 'two'])
  await storage.keep(version)
  const [first = ''] = await pathsOf(storage, version)
  await flipByte(first, 1)
  expect((await read(storage)).toString()).toBe('one,two')
  const setCopies = (readable: number, durable: number) =>
    storage.database.write((tx) => runSql(tx, 'update contents set readable_copies = ?, durable_copies = ?', readable, durable))
  const [minimum] = await allRows(storage.database.read, 'select minimum_durable_copies as copies from buckets')
  const copies = Number(minimum?.copies)
  const pass = () => storage.cache.reconcileCapacity(new AbortController().signal)
  await clock.advance(quarantineMs + 1)
  for (const few of [0, copies - 1]) {
    await setCopies(few, few)
    await pass()
    expect([existsSync(first), storage.cache.stats().usedBytes]).toEqual([true, 7])
  }
  await setCopies(1, copies)
  await pass()
  expect([existsSync(first), storage.cache.stats().usedBytes]).toEqual([false, 0])
  expect((await read(storage)).toString()).toBe('one,two')
  await storage.expectSound()
})

test('I-03 I-37: a file that was not moved to the quarantine before a stop is kept at its place, and can be brought back', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-damage-'))
  const bytes = randomBytes(kib)
  const disk: Disk = { ...realDisk, rename: () => Promise.reject(new Error('killed')) }
  const first = await openVersionStorage({ ...sourceOf({ k: bytes }), dir, disk })
  const version = await first.put('k', bytes)
  await first.keep(version)
  const path = await pathOf(first, version)
  await flipByte(path, 0)
  await read(first)
  await first.stop()
  await flipByte(path, 0)
  const second = await openVersionStorage({ ...sourceOf({ k: bytes }), dir })
  await second.cache.startUpkeep()
  expect([existsSync(path), await look(second, 'storage.stray-files')]).toEqual([true, []])
  const [finding] = await look(second, 'storage.quarantine')
  expect(await applyFix(second, finding as Finding)).toBe(true)
  expect((await second.objects.open('photos', 'k')).source).toBe('cache')
  await second.expectSound()
  await second.stop()
  await rm(dir, { recursive: true })
})

test('I-37: a missing file whose folder is not mounted is neither marked nor removed', async () => {
  const bytes = randomBytes(100 * kib)
  await using storage = await openVersionStorage(sourceOf({ k: bytes }))
  const version = await storage.put('k', bytes)
  await storage.keep(version)
  const path = await pathOf(storage, version)
  const folder = dirname(dirname(path))
  await rename(folder, `${folder}-away`)
  const cached = createCachedContents({ ...storage, reconcileCapacity: async () => {} })
  expect((await read(storage)).equals(bytes)).toBe(true)
  await expect(cached.locate(version.contentId ?? 0)).rejects.toThrow('the folder of cache.dir is not available')
  await rename(`${folder}-away`, folder)
  expect([await states(storage), await pathOf(storage, version)]).toEqual([[{ state: 'present', store: 'unstored' }], path])
  expect((await storage.objects.open('photos', 'k')).source).toBe('cache')
  await storage.expectSound()
})

test('I-37: a lost file is known to be lost, also after the sweep of a later start', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-lost-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const first = await openVersionStorage({ dir })
  const version = await first.put('k', randomBytes(100 * kib))
  const path = await pathOf(first, version)
  await first.stop()
  await unlink(path)
  await using storage = await openVersionStorage({ dir })
  await storage.cache.startUpkeep()
  expect(existsSync(dirname(path))).toBe(false)
  await expect(storage.objects.open('photos', 'k')).rejects.toMatchObject({ code: 'content_unavailable' })
  expect(await states(storage)).toEqual([{ state: 'damaged', store: 'lost' }])
})

test('a permanent delete between the lookup of a row and that of its file is no damage', async () => {
  const errors: string[] = []
  const log = { ...silentLog, error: (message: string) => void errors.push(message) }
  await using storage = await openVersionStorage({ log })
  const version = await storage.put('k', 'bytes')
  const { cache, database } = storage
  const deleting = {
    settle: cache.settle,
    async locate(...blob: Parameters<typeof cache.locate>) {
      if (await storage.objects.find('photos', 'k'))
        await storage.versions.deletePermanently({ bucket: 'photos', key: 'k', versionId: version.versionId })
      return cache.locate(...blob)
    },
  }
  const cached = createCachedContents({ cache: deleting, database, reconcileCapacity: async () => {} })
  expect([await cached.locate(version.contentId ?? 0), errors]).toEqual([undefined, []])
  // The rows are removed after the files.
  const other = await storage.put('other', 'others')
  await storage.database.write((tx) => runSql(tx, "update cache_entries set state = 'evicting'"))
  await unlink(await pathOf(storage, other))
  expect([
    await cache.settle(other.contentId ?? 0, (await blobsOfContent(database.read, other.contentId ?? 0))[0] as never),
    errors,
  ]).toEqual(['gone', []])
  expect(await getRow(database.read, 'select count(*) as n from cache_blobs')).toEqual({ n: 1 })
})
