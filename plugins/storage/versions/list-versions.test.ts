import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { silentLog } from '#kernel/testing'
import type { VersionPage } from '../contract.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'
import { versionTimeMs } from './version-marker-policy.ts'
import { createVersions } from './versions.ts'

test('a history is paged newest first, with the current version id on every page', async () => {
  await using storage = await openVersionStorage()
  for (let n = 0; n < 5; n++) await storage.put('k', `body ${n}`)
  const marker = await storage.objects.delete('photos', 'k')
  const all = await storage.versions.ofKey({ bucket: 'photos', key: 'k', limit: 10 })
  expect(all).toMatchObject({ isTruncated: false, currentVersionId: marker.versionId })
  expect(all.versions.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false, false, false, false])
  const ids = all.versions.map(({ versionId }) => versionId)
  const paged: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await storage.versions.ofKey({ bucket: 'photos', key: 'k', limit: 2, ...(after === undefined ? {} : { after }) })
    paged.push(...page.versions.map(({ versionId }) => versionId))
    expect(page.currentVersionId).toBe(marker.versionId)
    after = paged.at(-1)
    if (!page.isTruncated) break
  }
  expect(paged).toEqual(ids)
  expect(await storage.versions.ofKey({ bucket: 'photos', key: 'none', limit: 2 })).toEqual({ versions: [], isTruncated: false })
})

test('a history and its current version id are of one state, also when a version is put between their reads', async () => {
  await using storage = await openVersionStorage()
  await storage.put('k', 'body 0')
  const { read: committed } = storage.database
  const read = Object.create(committed, {
    get: {
      value: async (statement: never, params: never) => {
        const row = await committed.get(statement, params)
        await storage.put('k', 'body 1')
        return row
      },
    },
  })
  const openUncached = () => Promise.reject(new Error('no provider reachable'))
  const deps = { ...storage, clock: systemClock, log: silentLog, openUncached }
  const versions = createVersions({ ...deps, database: { ...storage.database, read } })
  const page = await versions.ofKey({ bucket: 'photos', key: 'k', limit: 10 })
  expect(page.versions[0]).toMatchObject({ versionId: page.currentVersionId, isCurrent: true })
})

test('the next page continues at the right version when the last version of the page before was deleted', async () => {
  let nowMs = 1_000_000
  await using storage = await openVersionStorage({ clock: { now: () => ++nowMs, sleep: () => Promise.resolve() } })
  for (let n = 0; n < 6; n++) await storage.put('k', `body ${n}`)
  const all = (await storage.versions.ofKey({ bucket: 'photos', key: 'k', limit: 10 })).versions.map(({ versionId }) => versionId)
  const [, , third = ''] = all
  await storage.versions.delete({ bucket: 'photos', key: 'k', versionId: third })
  const rest = await storage.versions.ofKey({ bucket: 'photos', key: 'k', limit: 10, after: third })
  expect(rest.versions.map(({ versionId }) => versionId)).toEqual(all.slice(3))
  const listed = await storage.versions.list({ bucket: 'photos', limit: 10, keyMarker: 'k', versionIdMarker: third })
  expect(listed.versions.map(({ versionId }) => versionId)).toEqual(all.slice(3))
})

test('the time is decoded from a version id', () => {
  expect(versionTimeMs('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(1_469_922_850_259)
  for (const text of ['', 'null', '01ARZ3NDEKTSV4RRFFQ69G5FA', '01ARZ3NDEKTSV4RRFFQ69G5FAI']) expect(versionTimeMs(text)).toBeUndefined()
})

interface Model {
  readonly key: string
  readonly versionId: string
  readonly isCurrent: boolean
}

/** Reference implementation of the order of the S3 API: keys by their bytes, versions newest first, common prefixes rolled up. */
function expected(model: readonly Model[], prefix: string, delimiter: string): string[] {
  const lines: string[] = []
  for (const { key, versionId, isCurrent } of model) {
    if (!key.startsWith(prefix)) continue
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const line = at < 0 ? `${key} ${versionId} ${isCurrent}` : key.slice(0, at + delimiter.length)
    if (lines.at(-1) !== line) lines.push(line)
  }
  return lines
}

async function pages(storage: VersionStorage, prefix: string, delimiter: string, limit: number): Promise<string[]> {
  const lines: string[] = []
  let last: VersionPage['last']
  for (let n = 0; n < 200; n++) {
    const markers = last && { keyMarker: last.key, ...(last.versionId === undefined ? {} : { versionIdMarker: last.versionId }) }
    const page = await storage.versions.list({ bucket: 'photos', prefix, delimiter, limit, ...markers })
    const found = [
      ...page.versions.map(({ key, versionId, isCurrent }) => ({ key, line: `${key} ${versionId} ${isCurrent}` })),
      ...page.commonPrefixes.map((key) => ({ key, line: key })),
    ]
    // The sort is stable, so versions of a key keep their order.
    lines.push(...found.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))).map(({ line }) => line))
    expect(found.length).toBeLessThanOrEqual(limit)
    if (!page.isTruncated) return lines
    last = page.last
  }
  throw new Error('the listing does not end')
}

test('the pages of a version listing equal the reference implementation', async () => {
  await using storage = await openVersionStorage()
  const keys = ['a', 'a/1', 'a/2', 'a/b/1', 'a0', 'b', 'b/\u{10ffff}', 'ä/1', '\uffff/x', '😀/y', '😀']
  const model: Model[] = []
  for (const [n, key] of keys.entries()) {
    const versionIds: string[] = []
    for (let v = 0; v <= n % 3; v++) versionIds.unshift((await storage.put(key, `body ${v}`)).versionId)
    if (n % 4 === 1) versionIds.unshift((await storage.objects.delete('photos', key)).versionId)
    model.push(...versionIds.map((versionId, index) => ({ key, versionId, isCurrent: index === 0 })))
  }
  model.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('', 'a', 'a/', 'b', '😀', 'z'),
      fc.constantFrom('', '/', '/b', '\u{10ffff}'),
      fc.integer({ min: 1, max: 9 }),
      async (prefix, delimiter, limit) => {
        expect(await pages(storage, prefix, delimiter, limit)).toEqual(expected(model, prefix, delimiter))
      },
    ),
    { numRuns: 200 },
  )
  const [plain] = (await storage.versions.list({ bucket: 'photos', limit: 5, keyMarker: 'a/1' })).versions
  expect(plain?.key).toBe('a/2')
})

test('deleted objects are listed with the version that a restore makes current', async () => {
  await using storage = await openVersionStorage()
  for (const key of ['a', 'b/1', 'b/2', 'b/3', 'c']) await storage.put(key, `of ${key}`)
  const markers = new Map<string, string>()
  for (const key of ['a', 'b/1', 'b/2', 'b/3', 'never-existed']) markers.set(key, (await storage.objects.delete('photos', key)).versionId)
  const list = (more: object) => storage.versions.deletedObjects({ bucket: 'photos', limit: 2, ...more })
  expect(await list({})).toMatchObject({ isTruncated: true, objects: [{ key: 'a' }, { key: 'b/1' }] })
  expect(await list({ after: 'b/1' })).toMatchObject({ isTruncated: false, objects: [{ key: 'b/2' }, { key: 'b/3' }] })
  const [entry] = (await list({ prefix: 'b/', after: 'b/2' })).objects
  expect(entry).toMatchObject({ key: 'b/3', markerVersionId: markers.get('b/3'), restorable: { size: 6, isDeleteMarker: false } })
  expect((await list({ prefix: 'c' })).objects).toEqual([])
})

test('delete markers are listed newest first and paged by version id', async () => {
  let nowMs = 1_000_000
  await using storage = await openVersionStorage({ clock: { now: () => ++nowMs, sleep: () => Promise.resolve() } })
  const ids: string[] = []
  for (const key of ['a', 'b', 'a', 'b/1']) ids.unshift((await storage.objects.delete('photos', key)).versionId)
  await storage.put('b', 'again')
  const list = async (more: object) => {
    const { markers, isTruncated } = await storage.versions.deleteMarkers({ bucket: 'photos', limit: 3, ...more })
    return { ids: markers.map(({ versionId }) => versionId), current: markers.map(({ isCurrent }) => isCurrent), isTruncated }
  }
  expect(await list({})).toEqual({ ids: ids.slice(0, 3), current: [true, true, false], isTruncated: true })
  expect(await list({ after: ids[2] })).toEqual({ ids: ids.slice(3), current: [false], isTruncated: false })
  expect((await list({ prefix: 'b' })).ids).toEqual([ids[0], ids[2]])
  expect((await list({ key: 'a' })).ids).toEqual([ids[1], ids[3]])
})
