import { expect, test } from 'vitest'
import { runSql } from '#kernel/testing'
import { openObjectStorage } from '../testing/object-storage.ts'
import { sumReleasable } from './sum-releasable.ts'

test('only bytes that eviction may remove now are summed, over more contents than one page has', async () => {
  await using storage = await openObjectStorage()
  const id = (await storage.put('kept', 'x'.repeat(200))).contentId ?? 0
  await storage.database.write(async (tx) => {
    await runSql(
      tx,
      `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, store_state, created_at, updated_at)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < 1201)
       select 100000 + i, (select min(id) from buckets), 'c' || i, 10, 1, 1, 'stored', 0, 0 from n`,
    )
    await runSql(
      tx,
      `insert into cache_entries (content_id, state, bytes, releasable, accessed_at, cached_at)
       select id, case when id = 100001 then 'evicting' else 'present' end, 10, 1, 5, 5 from contents where id > 100000`,
    )
  })
  expect(id).toBeGreaterThan(0)
  expect(await sumReleasable(storage.database.read)).toBe(12_000)
})
