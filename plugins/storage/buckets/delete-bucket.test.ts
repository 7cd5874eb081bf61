import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { allRows, describeOnEngines, runSql } from '#kernel/testing'
import { catchUp } from '../contents/catch-up.ts'
import { storageMigrations } from '../migrations/all-migrations.ts'
import { createTestKeeper } from '../testing/test-keeper.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'
import { createBuckets } from './buckets.ts'

const rowsOf = ({ database }: Pick<VersionStorage, 'database'>) =>
  allRows<{ name: string; deletedName: string | null }>(
    database.read,
    'select name, deleted_name as "deletedName" from buckets order by id',
  )

test('an empty bucket is deleted with its row, and is in no list', async () => {
  await using storage = await openVersionStorage()
  const { buckets, keeper } = storage
  const { id } = await buckets.create({ name: 'empty', ownerAccessKey: 'AKIA1' })
  await buckets.delete('empty')
  expect([buckets.find('empty'), buckets.findById(id)]).toEqual([undefined, undefined])
  expect(buckets.list().map(({ name }) => name)).toEqual(['photos'])
  expect(await buckets.countOwnedBy('AKIA1')).toBe(0)
  expect(keeper.releasedBuckets).toEqual([id])
  expect(await rowsOf(storage)).toEqual([{ name: 'photos', deletedName: null }])
  await expect(buckets.delete('empty')).rejects.toMatchObject({ code: 'bucket_not_found' })
  await storage.expectSound()
})

test('a bucket with a version or only a delete marker is not empty, and stays unchanged', async () => {
  await using storage = await openVersionStorage()
  const { buckets, versions, objects } = storage
  const version = await storage.put('k', 'bytes')
  await expect(buckets.delete('photos')).rejects.toMatchObject({ code: 'bucket_not_empty', status: 409 })
  expect(await storage.text('k')).toBe('bytes')
  const marker = await objects.delete('photos', 'k')
  await versions.delete({ bucket: 'photos', key: 'k', versionId: version.versionId })
  await expect(buckets.delete('photos')).rejects.toMatchObject({ code: 'bucket_not_empty' })
  await versions.delete({ bucket: 'photos', key: 'k', versionId: String(marker.versionId) })
  await buckets.delete('photos')
  expect(await rowsOf(storage)).toEqual([])
  await storage.expectSound()
})

test('contents that are still being deleted do not block; the row goes with the last of them', async () => {
  await using storage = await openVersionStorage()
  const { buckets, versions, keeper, database, contents } = storage
  const version = await storage.put('k', 'bytes')
  await storage.keep(version)
  await versions.delete({ bucket: 'photos', key: 'k', versionId: version.versionId })
  await buckets.delete('photos')
  expect(await rowsOf(storage)).toEqual([{ name: expect.stringMatching(/^deleted\/\d+$/), deletedName: 'photos' }])
  await expect(buckets.delete(`deleted/${version.bucketId}`)).rejects.toMatchObject({ code: 'bucket_not_found' })
  keeper.copies.clear()
  await database.write((tx) => contents.forgetIfReleased(tx, version.contentId as number))
  expect(await rowsOf(storage)).toEqual([])
  await storage.expectSound()
})

test('a keeper that has something of the bucket keeps its row, also after a restart, and the name is free at once', async () => {
  await using storage = await openVersionStorage()
  const { buckets, keeper, database, contents } = storage
  const former = buckets.require('photos')
  keeper.heldBuckets.add(former.id)
  await buckets.delete('photos')
  const next = await buckets.create({ name: 'photos', ownerAccessKey: null })
  expect(next.id).not.toBe(former.id)
  const later = await createBuckets({ database, clock: systemClock, partFiles: storage.cache, defaults: () => ({ defaultCopies: 1 }) })
  expect(later.list()).toEqual([next])
  await storage.put('k', 'bytes of the next one')
  await expect(buckets.delete('photos')).rejects.toMatchObject({ code: 'bucket_not_empty' })
  keeper.heldBuckets.clear()
  await database.write((tx) => contents.forgetBucketIfReleased(tx, former.id))
  // The bucket in use is not deleted, although no keeper holds it.
  await database.write((tx) => contents.forgetBucketIfReleased(tx, next.id))
  expect((await rowsOf(storage)).map(({ name }) => name)).toEqual(['photos'])
  expect(await storage.text('k')).toBe('bytes of the next one')
  await storage.expectSound()
})

test('I-36: of a put and a deletion at the same time exactly one succeeds', async () => {
  await using storage = await openVersionStorage()
  const { buckets } = storage
  for (let round = 0; round < 10; round++) {
    const name = `race-${round}`
    await buckets.create({ name, ownerAccessKey: null })
    const put = () => storage.put('k', `bytes ${round}`, { bucket: name })
    const both = round % 2 === 0 ? [put(), buckets.delete(name)] : [buckets.delete(name), put()]
    const failed = (await Promise.allSettled(both)).flatMap((result) => (result.status === 'rejected' ? result.reason.code : []))
    expect(failed).toEqual([buckets.find(name) ? 'bucket_not_empty' : 'bucket_not_found'])
  }
  await storage.expectSound()
})

test('a put whose body began before the deletion fails when the bucket is gone, and does not reach a new bucket of the name', async () => {
  await using storage = await openVersionStorage()
  const { buckets } = storage
  const former = buckets.require('photos')
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* body() {
    await promise
    yield Buffer.from('late bytes')
  }
  const put = storage.put('k', '', { body: body(), size: 10 })
  await buckets.delete('photos')
  const next = await buckets.create({ name: 'photos', ownerAccessKey: null })
  resolve()
  await expect(put).rejects.toMatchObject({ code: 'bucket_not_found' })
  expect(next.id).not.toBe(former.id)
  expect(await allRows(storage.database.read, 'select key from object_versions')).toEqual([])
  await storage.expectSound()
})

test('a keeper that was absent during the deletion is told when it is back', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-delete-bucket-'))
  try {
    const keeper = createTestKeeper()
    const start = async (isAttached: boolean) => {
      const storage = await openVersionStorage({ dir, keepers: isAttached ? [keeper] : [] })
      await catchUp({ ...storage, clock: systemClock })
      return storage
    }
    const first = await start(true)
    await first.stop()
    const without = await start(false)
    await without.buckets.delete('photos')
    expect((await rowsOf(without)).map(({ deletedName }) => deletedName)).toEqual(['photos'])
    await without.stop()
    const back = await start(true)
    expect(keeper.releasedBuckets).toHaveLength(1)
    // The helper makes a new bucket `photos` at each start.
    expect((await rowsOf(back)).map(({ deletedName }) => deletedName)).toEqual([null])
    await back.stop()
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})

await describeOnEngines('names of deleted buckets', ({ open }) => {
  test('any number of deleted buckets had the same name', async () => {
    await using database = await open([{ name: 'storage', migrations: storageMigrations }])
    const buckets = await createBuckets({
      database,
      clock: systemClock,
      defaults: () => ({ defaultCopies: 1 }),
      partFiles: { release() {}, async discard() {} },
    })
    for (let n = 0; n < 3; n++) {
      await buckets.create({ name: 'again', ownerAccessKey: null })
      await buckets.delete('again')
    }
    await buckets.create({ name: 'again', ownerAccessKey: null })
    expect(await rowsOf({ database })).toHaveLength(4)
    await expect(database.write((tx) => runSql(tx, "update buckets set name = 'again'"))).rejects.toThrow(/unique/i)
  })
})
