import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { getRow, runsOnSqlite } from '#kernel/testing'
import { type DeleteItem, defineCopyKeeper } from '../contract.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const refuse = () => {
  throw new Error('refused by the test')
}
const deleteAll = ({ versions }: VersionStorage, ...items: DeleteItem[]) => versions.deleteMany({ bucket: 'photos', items })
const contentCount = async ({ database }: VersionStorage) =>
  (await getRow<{ n: number }>(database.read, 'select count(*) as n from contents'))?.n

test.runIf(runsOnSqlite())('large deletions of several requests do not share a transaction', async () => {
  await using storage = await openVersionStorage()
  const commits = () => storage.database.commits?.() ?? 0
  const items = (name: string) => Array.from({ length: 200 }, (_, n) => ({ key: `${name}${n}` }))
  const before = commits()
  await Promise.all(['a', 'b', 'c'].map((name) => deleteAll(storage, ...items(name))))
  expect(commits() - before).toBe(3)
  await storage.expectSound()
})

test('many deletions add markers and remove versions, and an item that is refused changes nothing and stops no other', async () => {
  await using storage = await openVersionStorage()
  const [first, second, kept] = [await storage.put('a', 'one'), await storage.put('b', 'two'), await storage.put('c', 'three')]
  const old = await storage.objects.delete('photos', 'd')
  const outcomes = await deleteAll(
    storage,
    { key: 'a', versionId: first.versionId },
    { key: 'c', condition: refuse },
    { key: 'b' },
    { key: 'b', versionId: 'none' },
    { key: 'd', versionId: old.versionId },
    { key: 'new' },
  )
  expect(outcomes).toEqual([
    { kind: 'removed', isDeleteMarker: false },
    { kind: 'refused', error: expect.objectContaining({ message: 'refused by the test' }) },
    { kind: 'marked', markerVersionId: expect.any(String) },
    { kind: 'absent' },
    { kind: 'removed', isDeleteMarker: true },
    { kind: 'marked', markerVersionId: expect.any(String) },
  ])
  const current = await Promise.all(['a', 'b', 'c', 'd', 'new'].map((key) => storage.objects.find('photos', key)))
  expect(current.map((version) => version?.isDeleteMarker)).toEqual([undefined, true, false, undefined, true])
  expect(current[2]?.versionId).toBe(kept.versionId)
  expect(await storage.text('b', second.versionId)).toBe('two')
  await storage.expectSound()
})

test('an item sees the changes of those before it', async () => {
  await using storage = await openVersionStorage()
  const { versionId } = await storage.put('k', 'bytes')
  const seen: (boolean | undefined)[] = []
  const condition: DeleteItem['condition'] = (version) => void seen.push(version?.isDeleteMarker)
  const outcomes = await deleteAll(
    storage,
    { key: 'k', condition },
    { key: 'k', condition },
    { key: 'k', versionId, condition },
    { key: 'k', versionId, condition },
  )
  expect(seen).toEqual([false, true, false, undefined])
  expect(outcomes.map(({ kind }) => kind)).toEqual(['marked', 'marked', 'removed', 'absent'])
  await storage.expectSound()
})

test('contents are released once, after the commit, when the page removed their last version', async () => {
  await using storage = await openVersionStorage()
  const shared = [await storage.put('a', 'shared'), await storage.put('b', 'shared'), await storage.put('c', 'kept')]
  const single = await Promise.all(Array.from({ length: 40 }, (_, at) => storage.put(`single-${at}`, `bytes ${at}`)))
  await storage.put('d', 'kept')
  const outcomes = await deleteAll(storage, ...[...shared, ...single].map(({ key, versionId }) => ({ key, versionId })))
  expect(outcomes).toHaveLength(43)
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['removed']))
  expect(await contentCount(storage)).toBe(1)
  expect(storage.cache.stats().usedBytes).toBe('kept'.length)
  expect(await storage.text('d')).toBe('kept')
  await storage.expectSound()
})

test('a page with an invalid key, an unknown bucket or too many items is refused whole', async () => {
  await using storage = await openVersionStorage()
  const { versionId } = await storage.put('k', 'bytes')
  await expect(deleteAll(storage, { key: 'k', versionId }, { key: '' })).rejects.toMatchObject({ code: 'invalid_key' })
  const request = { bucket: 'nowhere', items: [{ key: 'k', versionId }] }
  await expect(storage.versions.deleteMany(request)).rejects.toMatchObject({ code: 'bucket_not_found' })
  const tooMany = Array.from({ length: 1001 }, () => ({ key: 'k', versionId }))
  await expect(deleteAll(storage, ...tooMany)).rejects.toThrow('at most 1000')
  expect(await storage.text('k')).toBe('bytes')
})

test('an error inside the transaction undoes the whole page', async () => {
  const releaseContent = () => Promise.reject(new Error('the test keeper fails'))
  const failing = { item: defineCopyKeeper({ name: 'failing', uses: {}, releaseContent }), services: {} }
  await using storage = await openVersionStorage({ keepers: [failing] })
  const { versionId } = await storage.put('last', 'bytes')
  await storage.put('marked', 'more')
  await expect(deleteAll(storage, { key: 'marked' }, { key: 'last', versionId })).rejects.toThrow('the test keeper fails')
  expect([await storage.text('marked'), await storage.text('last')]).toEqual(['more', 'bytes'])
  await storage.expectSound()
})

const history = async (storage: VersionStorage, key: string) =>
  (await storage.versions.ofKey({ bucket: 'photos', key, limit: 100 })).versions
const shapeOf = async (storage: VersionStorage, key: string) =>
  (await history(storage, key)).map(({ size, isDeleteMarker, isCurrent }) => ({ size, isDeleteMarker, isCurrent }))

interface Step {
  readonly key: string
  /** Text stored before the deletions. */
  readonly put: string | null
  /** Position of the version to delete; null for a delete marker. */
  readonly version: number | null
}

async function prepare(storage: VersionStorage, steps: readonly Step[]): Promise<DeleteItem[]> {
  for (const { key, put } of steps) if (put !== null) await storage.put(key, put)
  const items: DeleteItem[] = []
  for (const { key, version } of steps) {
    const chosen = version === null ? undefined : (await history(storage, key))[version]
    items.push({ key, ...(chosen && { versionId: chosen.versionId }) })
  }
  return items
}

test('deleting a page gives the same state as deleting its items one by one', async () => {
  await using one = await openVersionStorage()
  await using many = await openVersionStorage()
  const step = fc.record({ key: fc.constantFrom('a', 'b'), put: fc.option(fc.constantFrom('x', 'yy')), version: fc.option(fc.nat(3)) })
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (drawn) => {
      run += 1
      const steps = drawn.map((one) => ({ ...one, key: `${run}/${one.key}` }))
      await deleteAll(many, ...(await prepare(many, steps)))
      for (const { key, versionId } of await prepare(one, steps)) {
        if (versionId === undefined) await one.objects.delete('photos', key)
        else await one.versions.delete({ bucket: 'photos', key, versionId })
      }
      for (const key of [`${run}/a`, `${run}/b`]) expect(await shapeOf(many, key)).toEqual(await shapeOf(one, key))
    }),
    { numRuns: 15 },
  )
  await many.expectSound()
})

test('a guard sees the transaction of the deletions, and refuses all of them', async () => {
  await using storage = await openVersionStorage()
  const { versionId } = await storage.put('a', 'bytes')
  const upload = { bucket: 'photos', key: 'a', headers: { contentType: '', system: {}, user: {} }, checksumAlgorithm: null }
  const { id: uploadId } = await storage.uploads.create({ ...upload, checksumType: null, initiator: null })
  const seen: unknown[] = []
  const guard = async (tx: Tx) => {
    seen.push(await getRow(tx, 'select name from buckets'))
    throw new Error('the rules changed')
  }
  const refused = { message: 'the rules changed' }
  const items = [{ key: 'a', versionId }, { key: 'b' }]
  await expect(storage.versions.deleteMany({ bucket: 'photos', items, guard })).rejects.toMatchObject(refused)
  await expect(storage.uploads.abort({ bucket: 'photos', key: 'a', uploadId, guard })).rejects.toMatchObject(refused)
  expect(seen).toEqual([{ name: 'photos' }, { name: 'photos' }])
  expect(await storage.text('a', versionId)).toBe('bytes')
  expect(await storage.objects.find('photos', 'b')).toBeUndefined()
  expect(await storage.uploads.find({ bucket: 'photos', key: 'a', uploadId })).toBeDefined()
  await storage.expectSound()
})
