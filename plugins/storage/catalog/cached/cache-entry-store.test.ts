import { expect, test } from 'vitest'
import { allRows, runSql } from '#kernel/testing'
import { openObjectStorage } from '../../testing/object-storage.ts'
import { writeAccessTimes } from './cache-entry-store.ts'

test('each content gets the time of its own read, unless its row has a later one', async () => {
  await using storage = await openObjectStorage()
  const ids: number[] = []
  for (const key of 'abcd') ids.push((await storage.put(key, `bytes of ${key}`)).contentId ?? 0)
  const [a = 0, b = 0, c = 0] = ids
  await storage.database.write(async (tx) => {
    await runSql(tx, 'update cache_entries set accessed_at = 1000')
    await writeAccessTimes(tx, [
      { contentId: c, readMs: 4_000_000_000_000 },
      { contentId: a, readMs: 2000 },
      { contentId: b, readMs: 999 },
    ])
    await writeAccessTimes(tx, [])
  })
  const rows = await allRows<{ at: number }>(storage.database.read, 'select accessed_at as at from cache_entries order by content_id')
  expect(rows.map(({ at }) => at)).toEqual([2000, 1000, 4_000_000_000_000, 1000])
})
