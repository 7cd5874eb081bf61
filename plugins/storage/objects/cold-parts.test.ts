import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRows } from '#kernel/testing'
import { expectedBlobs } from '../catalog/cached/cache-entry-store.ts'
import type { ObjectVersion } from '../contract.ts'
import { chunksOf, readAll } from '../testing/object-storage.ts'
import { openVersionStorage } from '../testing/version-storage.ts'

const bytesMax = 1024

test('a read over the border of two pieces that are not cached fills the cache with these two', async () => {
  const bytes = randomBytes(3 * bytesMax)
  const asked: number[] = []
  let ids: readonly number[] = []
  await using storage = await openVersionStorage({
    sizes: { bytesMin: 0, bytesMax: 64 * bytesMax },
    parts: { bytesMax, roomWaitMs: 0, roomWaitMsMax: 0, roomPollMs: 1 },
    fillsOnRead: true,
    async openUncached(version, contentId) {
      const at = ids.indexOf(contentId)
      asked.push(at)
      const piece = bytes.subarray(at * bytesMax, (at + 1) * bytesMax)
      const read = ({ start, end } = { start: 0, end: piece.length - 1 }) => chunksOf(piece.subarray(start, end + 1))
      return { version, source: 'provider', read, async [Symbol.asyncDispose]() {} }
    },
  })
  const version = await storage.put('k', bytes)
  ids = (
    await allRows<{ id: number }>(
      storage.database.read,
      'select part_content_id as id from content_parts where content_id = ? order by part_no',
      version.contentId,
    )
  ).map(({ id }) => id)
  for (const contentId of ids) {
    const part: ObjectVersion = { ...version, contentId }
    for (let made = 0; made < 2; made++) await storage.keep(part)
    await storage.uncache(part)
  }
  const cached = async () => (await Promise.all(ids.map((id) => expectedBlobs(storage.database.read, id)))).map(({ length }) => length)
  expect(await cached()).toEqual([0, 0, 0])
  const range = { start: bytesMax + 10, end: 3 * bytesMax - 10 }
  expect(
    Buffer.from(await readAll(await storage.objects.open('photos', 'k'), range)).equals(bytes.subarray(range.start, range.end + 1)),
  ).toBe(true)
  await expect.poll(cached).toEqual([0, 1, 1])
  expect(asked).toEqual([1, 2])
  expect(Buffer.from(await readAll(await storage.objects.open('photos', 'k'))).equals(bytes)).toBe(true)
  expect(asked).toEqual([1, 2, 0])
  await expect.poll(cached).toEqual([1, 1, 1])
  await storage.expectSound()
})
