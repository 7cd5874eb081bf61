import { expect, test } from 'vitest'
import { queryPlan, runSql, runsOnSqlite, watchStatements } from '#kernel/testing'
import { openStorageRows, rowsNowMs } from '../../testing/storage-rows.ts'
import { firstPlace, uploadedCopies } from '../ingress/uploaded-store.ts'
import { pullCandidates } from './pull-store.ts'

/** More than two pages of planned copies. */
const [firstId, lastId] = [1000, 3100]

test('a copy with a source is found behind a long queue without sources, and other work runs between the pages', async () => {
  await using rows = await openStorageRows()
  const [source, target] = [await rows.addDataSet(), await rows.addDataSet()]
  await rows.database.write(async (tx) => {
    const ids = `with recursive s (i) as (select ${firstId} union all select i + 1 from s where i < ${lastId})`
    const copyColumns = 'id, piece_id, content_id, data_set_id, slot, state, method, created_at, updated_at'
    await runSql(
      tx,
      `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, store_state, created_at, updated_at)
       ${ids} select i, 1, 'queued ' || i, 200, 1, 2, 'storing', 0, 0 from s`,
    )
    await runSql(tx, `insert into pieces (id, content_id, part_no, offset_bytes, length) ${ids} select i, i, 0, 0, 200 from s`)
    await runSql(
      tx,
      `insert into copies (${copyColumns}) ${ids} select i, i, i, ${target.id}, ${target.slot}, 'planned', 'pull', 0, 0 from s`,
    )
    await runSql(
      tx,
      `insert into copies (${copyColumns}) values (1, ${lastId}, ${lastId}, ${source.id}, ${source.slot}, 'parked', 'store', 0, 0)`,
    )
    await runSql(tx, "update pieces set piece_cid = 'baga', is_proven = 1 where id = ?", lastId)
  })
  let turns = 0
  const next = () => {
    turns += 1
    if (turns < 2) setImmediate(next)
  }
  setImmediate(next)
  const found = await pullCandidates(rows.database.read, target.id, rowsNowMs, 40)
  expect(found.map(({ copyId, sourceUrl }) => [copyId, sourceUrl])).toEqual([[lastId, source.serviceUrl]])
  expect(turns).toBe(2)
})

test.runIf(runsOnSqlite())('pages of planned and of uploaded copies are read in the order of an index', async () => {
  await using rows = await openStorageRows()
  const texts: string[] = []
  const watched = watchStatements(rows.database.read, (sql) => texts.push(sql))
  await pullCandidates(watched, 1, rowsNowMs, 40)
  await uploadedCopies(watched, { dataSetId: 1, sinceMs: 0, untilMs: rowsNowMs, limit: 40 }, firstPlace)
  const plan = await queryPlan(rows.database.read, texts)
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH copies USING INDEX copies_lacking \(data_set_id=\? AND id>\? AND id<\?\)/))
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH c USING INDEX copies_work \(data_set_id=\? AND state=\? AND /))
  // Only the sources of one piece are sorted, and the candidates of one page.
  expect(plan.at(-1)).not.toContain('TEMP B-TREE')
})
