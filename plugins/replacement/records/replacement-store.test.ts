import { afterEach, beforeEach, expect, test } from 'vitest'
import { openReplacementScene, type ReplacementScene } from '../testing/replacement-scene.ts'
import { listReplacements } from './replacement-store.ts'

let scene: ReplacementScene

beforeEach(async () => {
  scene = await openReplacementScene()
})

afterEach(() => scene[Symbol.asyncDispose]())

const add = (count: number) =>
  scene.sql(
    `insert into replacements (bucket_id, slot, origin, mode, client_request_id, source_id, target_id, provider_id, status, phase, created_at, updated_at)
     with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
     select case when i % 3 = 0 then 2 else 1 end, 0, 'operator', 'manual', 'r' || i, i, i, '3', case when i % 2 = 0 then 'completed' else 'superseded' end, 'none', 0, 0 from n`,
    count,
  )

test('detail_lists_50_newest_first: a page has the newest ones first, and the next page continues', async () => {
  await add(90)
  const read = scene.rows.database.read
  const first = await listReplacements(read, { bucketId: 1, limit: 50 })
  expect(first).toHaveLength(50)
  expect(first[0]?.id).toBe(89)
  expect(first.map(({ id }) => id)).toEqual(first.map(({ id }) => id).toSorted((a, b) => b - a))
  const next = await listReplacements(read, { bucketId: 1, before: Number(first.at(-1)?.id), limit: 50 })
  expect(next).toHaveLength(10)
  expect(new Set([...first, ...next].map(({ bucketId }) => bucketId))).toEqual(new Set([1]))
  expect(await listReplacements(read, { statuses: ['superseded'], limit: 100 })).toHaveLength(45)
})
