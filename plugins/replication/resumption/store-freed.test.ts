import { expect, test } from 'vitest'
import { runSql } from '#kernel/testing'
import { openStorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline } from '../testing/test-pipeline.ts'
import { storeFreed } from './store-freed.ts'

const count = 1200
const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`

/** Every content has one planned copy; an upgrade freed those with even ids. */
const planned = [
  `${numbers} insert into contents (id, bucket_id, identity, size, ref_count, target_copies, store_state, created_at, updated_at)
     select i, 1, i, 5, 1, 1, 'storing', 0, 0 from n`,
  `${numbers} insert into pieces (id, content_id, part_no, offset_bytes, length) select i, i, 0, 0, 5 from n`,
  `${numbers} insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, last_error_code, created_at, updated_at)
     select i, i, i, 1, 0, 'planned', 'pull', case when i % 2 = 0 then 'freed' end, 0, 0 from n`,
  `update contents set store_state = 'stored' where id = 2`,
  `update copies set state = 'parked', parked_at = 0 where content_id = 4`,
  `update contents set state = 'deleting' where id = 6`,
]

test('I-29: contents with copies that an upgrade freed get a store task, and no others do', async () => {
  await using rows = await openStorageRows()
  await rows.addDataSet()
  await rows.database.write(async (tx) => {
    for (const statement of planned) await runSql(tx, statement)
  })
  const deps = createTestPipeline(rows)
  await storeFreed(rows.database, deps.schedule)
  expect(deps.scheduled).toEqual(Array.from({ length: count / 2 - 3 }, (_, n) => `store ${8 + 2 * n}`))
})
