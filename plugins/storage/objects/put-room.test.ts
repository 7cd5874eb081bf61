import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow } from '../testing/files-below.ts'
import { chunksOf, openObjectStorage } from '../testing/object-storage.ts'

const mib = 1024 ** 2

test('a put that finds its room taken by a faster one is refused midway, and leaves no file and no reservation', async () => {
  await using storage = await openObjectStorage({ maxBytes: 16 * mib })
  const bytes = randomBytes(12 * mib)
  const [begun, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function* slow() {
    yield bytes.subarray(0, mib)
    begun.resolve()
    await taken.promise
    yield* chunksOf(bytes.subarray(mib))
  }
  const late = storage.put('late', bytes, { body: slow(), user: 'ann' })
  await begun.promise
  await storage.put('fast', bytes.subarray(0, 10 * mib), { user: 'bob' })
  taken.resolve()
  await expect(late).rejects.toMatchObject({ code: 'cache_full', status: 507 })
  expect(storage.cache.stats()).toMatchObject({ usedBytes: 10 * mib, reservedBytes: 0 })
  expect(filesBelow(join(storage.dir, 'cache', 'blobs'))).toHaveLength(1)
  await expect(storage.put('late', bytes, { user: 'ann' })).rejects.toMatchObject({ code: 'cache_full' })
})
