/** Members of a pack that are read in order: fetched ahead in memory, and cached only when they are read. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRows, getRow } from '#kernel/testing'
import { type ColdStorage, openColdStorage } from '../../storage/testing/cold-storage.ts'
import { readAll } from '../../storage/testing/object-storage.ts'
import { collectUpTo, packAll } from '../../storage/testing/packs.ts'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import { type RemoteObject, remoteObject, type ServedCopy, serveCopy } from '../testing/remote-object.ts'

const memberBytes = 60_000
const count = 60
const maxBytes = 16 * 1024 * 1024
const keyOf = (at: number) => `member ${at}`

interface Scene extends AsyncDisposable {
  readonly storage: ColdStorage
  readonly remote: RemoteObject
  readonly copy: ServedCopy
  readonly versions: readonly Awaited<ReturnType<ColdStorage['put']>>[]
  readonly bytes: readonly Buffer[]
  /** Reads the members with these numbers and expects their bytes. */
  read(from: number, to: number): Promise<void>
}

/** A pack of about 3.5 chunks at a provider; neither it nor its members are cached. */
async function openPacked(): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const served: { remote?: RemoteObject } = {}
  const storage = stack.use(
    await openColdStorage({
      ...{ collector: collectUpTo(memberBytes), fillsOnRead: true, maxBytes },
      openUncached: () => served.remote?.open() ?? Promise.reject(new Error('no provider yet')),
    }),
  )
  const bytes = Array.from({ length: count }, () => randomBytes(memberBytes))
  const versions: Awaited<ReturnType<ColdStorage['put']>>[] = []
  for (const [at, body] of bytes.entries()) versions.push(await storage.put(keyOf(at), body))
  const pack = await packAll(storage)
  if (!pack) throw new Error('no pack was made')
  const copy = stack.use(await serveCopy(Buffer.from(pack.bytes)))
  const remote = stack.use(await remoteObject({ bytes: Buffer.from(pack.bytes), urls: [copy.url] }))
  served.remote = remote
  storage.keeper.copies.set(pack.packId, 2)
  await storage.database.write((tx) => storage.contents.recount(tx, [pack.packId], 1))
  for (const { contentId } of versions) await storage.cache.evict(contentId ?? 0)
  await storage.packs.releaseFile(pack.packId)
  expect(storage.cache.stats().usedBytes).toBe(0)
  const disposal = stack.move()
  return {
    ...{ storage, remote, copy, versions, bytes },
    async read(from, to) {
      for (let at = from; at < to; at++) {
        const read = Buffer.from(await readAll(await storage.objects.open('photos', keyOf(at))))
        expect(read.equals(bytes[at] as Buffer), keyOf(at)).toBe(true)
      }
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

const cachedContents = ({ database }: ColdStorage) =>
  allRows<{ id: number }>(database.read, 'select content_id as id from cache_entries order by content_id')

test('members that are read in order cause one request for each chunk, and each is cached when it is read', async () => {
  await using scene = await openPacked()
  const { storage, copy, remote, versions } = scene
  await scene.read(0, 10)
  await storage.settled()
  // The next chunk is in memory by now, and its members are not cached.
  await expect.poll(() => copy.ranges.length).toBe(2)
  expect(await cachedContents(storage)).toEqual(versions.slice(0, 10).map(({ contentId }) => ({ id: contentId })))
  await scene.read(10, count)
  expect(copy.ranges.length).toBe(Math.ceil((count * (memberBytes + 32)) / chunkRawBytes))
  expect(remote.reader.aheadCounts).toEqual({ used: copy.ranges.length - 1, unused: 0 })
  await storage.settled()
  expect(await cachedContents(storage)).toHaveLength(count)
  await scene.read(0, count)
  expect(copy.ranges.length).toBe(4)
  await storage.expectSound()
})

test('a member that is deleted while its chunk is fetched ahead stays deleted', async () => {
  await using scene = await openPacked()
  const { storage, copy, versions } = scene
  await scene.read(0, 10)
  await expect.poll(() => copy.ranges.length).toBe(2)
  const gone = 20
  const { versionId, contentId } = versions[gone] as (typeof versions)[number]
  await storage.versions.delete({ bucket: 'photos', key: keyOf(gone), versionId })
  await scene.read(10, gone)
  await expect(storage.objects.open('photos', keyOf(gone))).rejects.toMatchObject({ code: expect.stringMatching(/not_found/) })
  await scene.read(gone + 1, count)
  await storage.settled()
  expect(await getRow(storage.database.read, 'select id from contents where id = ?', contentId ?? 0)).toBeUndefined()
  expect((await cachedContents(storage)).map(({ id }) => id)).toEqual(
    versions.flatMap((version, at) => (at === gone ? [] : [version.contentId])),
  )
  await storage.expectSound()
})

test('a full cache fails no read in order, and displaces nothing that has no copies', async () => {
  await using scene = await openPacked()
  const { storage, copy } = scene
  const pinned = await storage.put('pinned', randomBytes(Math.ceil(maxBytes * 0.95)))
  await scene.read(0, count)
  await scene.read(0, count)
  await storage.settled()
  expect(await cachedContents(storage)).toEqual([{ id: pinned.contentId }])
  expect(storage.cache.fillCounts.started).toBe(0)
  expect(copy.ranges.length).toBe(4)
  await storage.expectSound()
})
