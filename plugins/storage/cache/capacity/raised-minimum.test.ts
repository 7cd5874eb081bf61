import { expect, test } from 'vitest'
import { allRows } from '#kernel/testing'
import { updateReleasable } from '../../catalog/cached/releasable-store.ts'
import { openVersionStorage } from '../../testing/version-storage.ts'
import { reviewDurability } from './review-durability.ts'

test('raising the minimum does not bring evicted bytes back into the cache', async () => {
  await using storage = await openVersionStorage()
  await storage.buckets.setCopyPolicy('photos', { minimumDurableCopies: 1 })
  const { database, cache, buckets } = storage
  const version = await storage.put('k', 'bytes')
  const contentId = version.contentId ?? 0
  await storage.keep(version)
  await database.write((tx) => updateReleasable(tx, contentId))
  expect(await cache.evict(contentId)).toBe('bytes'.length)
  await buckets.setCopyPolicy('photos', { minimumDurableCopies: 2 })
  await reviewDurability(database, { bucketId: buckets.require('photos').id, onUpdated: async () => {} }, new AbortController().signal)
  expect(cache.stats().usedBytes).toBe(0)
  expect(await allRows(database.read, 'select content_id from cache_entries')).toEqual([])
  await storage.expectSound()
})
