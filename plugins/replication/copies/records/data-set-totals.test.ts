import { expect, test } from 'vitest'
import { queryPlan, runSql, runsOnSqlite, watchStatements } from '#kernel/testing'
import { openStorageRows, type StorageRows } from '../../testing/storage-rows.ts'
import { countVersionsOn, listDataSetRecords } from './placement-store.ts'

const totals = async ({ database }: StorageRows) =>
  (await listDataSetRecords(database.read, [1])).map(({ committedCopies, physicalBytes }) => [committedCopies, physicalBytes])

test('the totals of a data set count its committed copies and their bytes', async () => {
  await using rows = await openStorageRows()
  const [first, second] = [await rows.addDataSet(), await rows.addDataSet()]
  const [large, small] = [await rows.addContent({ bytes: Buffer.alloc(1000) }), await rows.addContent({ bytes: Buffer.alloc(200) })]
  expect(await totals(rows)).toEqual([
    [0, 0],
    [0, 0],
  ])
  await rows.addCopy(large, first, 'committed')
  const lost = await rows.addCopy(small, first, 'committed')
  const parked = await rows.addCopy(small, second, 'parked')
  expect(await totals(rows)).toEqual([
    [2, 1200],
    [0, 0],
  ])
  await rows.database.write(async (tx) => {
    await runSql(tx, "update copies set state = 'lost' where id = ?", lost)
    await runSql(tx, "update copies set state = 'committed', chain_piece_id = '7' where id = ?", parked)
    // An update of other columns is not counted again.
    await runSql(tx, "update copies set state = 'committed', updated_at = 5 where id = ?", parked)
  })
  expect(await totals(rows)).toEqual([
    [1, 1000],
    [1, 200],
  ])
  await rows.database.write((tx) => runSql(tx, 'delete from copies where data_set_id = ?', first.id))
  expect(await totals(rows)).toEqual([
    [0, 0],
    [1, 200],
  ])
})

test.runIf(runsOnSqlite())('the data sets of a bucket are read without a walk through their copies', async () => {
  await using rows = await openStorageRows()
  const texts: string[] = []
  await listDataSetRecords(
    watchStatements(rows.database.read, (sql) => texts.push(sql)),
    [1],
  )
  const ofCopies = (await queryPlan(rows.database.read, texts)).filter((step) => /^(SCAN|SEARCH) k\b/.test(step))
  expect(ofCopies.length).toBeGreaterThan(0)
  expect(ofCopies.filter((step) => !step.includes('content_id=?'))).toEqual([])
})

const counted = async ({ database }: StorageRows) =>
  (await listDataSetRecords(database.read, [1])).map(({ referencedVersions, currentVersions }) => [referencedVersions, currentVersions])

const head = (key: string, contentId: number) =>
  `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (1, '${key}', '${key}', -1, ${contentId}, 1, '', 0)
   on conflict (bucket_id, key) do update set content_id = excluded.content_id`

test('the version counts of a data set follow versions, heads and copies', async () => {
  await using rows = await openStorageRows()
  const [first, second] = [await rows.addDataSet(), await rows.addDataSet()]
  const [one, other] = [await rows.addContent(), await rows.addContent()]
  const change = (...statements: readonly string[]) =>
    rows.database.write(async (tx) => {
      for (const statement of statements) await runSql(tx, statement)
    })
  await change(head('a', one.contentId))
  const copy = await rows.addCopy(one, first, 'committed')
  await rows.addCopy(one, second, 'parked')
  expect(await counted(rows)).toEqual([
    [1, 1],
    [0, 0],
  ])
  await change('update contents set ref_count = 3, updated_at = 9', head('b', one.contentId))
  expect(await counted(rows)).toEqual([
    [3, 2],
    [0, 0],
  ])
  // An overwrite moves the head to other bytes, and a deletion removes it.
  await rows.addCopy(other, second, 'committed')
  await change(head('b', other.contentId))
  expect(await counted(rows)).toEqual([
    [3, 1],
    [3, 1],
  ])
  await change("delete from object_heads where key = 'a'")
  expect(await counted(rows)).toEqual([
    [3, 0],
    [3, 1],
  ])
  await change(`update copies set state = 'lost' where id = ${copy}`, `delete from copies where data_set_id = ${second.id}`)
  expect(await counted(rows)).toEqual([
    [0, 0],
    [0, 0],
  ])
})

test('a version on several data sets is counted once, up to the maximum', async () => {
  await using rows = await openStorageRows()
  const [first, second] = [await rows.addDataSet(), await rows.addDataSet()]
  const [one, other] = [await rows.addContent(), await rows.addContent()]
  const count = async (max: number, ids = [first.id, second.id]) => {
    const records = (await listDataSetRecords(rows.database.read, [1])).filter(({ id }) => ids.includes(id))
    return await countVersionsOn(rows.database.read, records, max)
  }
  expect(await count(200)).toBe(0)
  for (const dataSet of [first, second]) await rows.addCopy(one, dataSet, 'committed')
  await rows.addCopy(other, first, 'committed')
  expect([await count(200), await count(200, [second.id]), await count(1)]).toEqual([2, 1, 1])
})
