import { expect, test } from 'vitest'
import type { Database, Tx } from '#kernel'
import { createFakeClock, queryPlan, runSql, runsOnSqlite, watchStatements } from '#kernel/testing'
import { openStorageRows } from '../../testing/storage-rows.ts'
import { allOpen } from '../../testing/test-pipeline.ts'
import { createUploadMeter } from '../../upload-meter.ts'
import { listDataSetRecords } from '../records/placement-store.ts'
import { createPlacements } from './placements.ts'

const clock = createFakeClock()
const placementsOf = (database: Database, name?: string) =>
  createPlacements({
    database,
    clock,
    queue: allOpen,
    uploads: createUploadMeter(clock),
    versions: { rangeOf: async () => Promise.reject(new Error('not used')) as never },
    pieceUrl: () => '',
    providerName: () => name,
  })

const addVersion = (tx: Tx, contentId: number) =>
  runSql(
    tx,
    `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, created_at)
     values (1, 'a', -1, 'v', ?, 0, 1, '', '', 0)`,
    contentId,
  )

test.each([
  ['registered', 'Example Storage', 'provider 1 (Example Storage): no space left'],
  ['unknown', undefined, 'provider 1: no space left'],
])('the message of a version names the provider that refused, with its %s name', async (_what, name, message) => {
  await using rows = await openStorageRows()
  const placements = placementsOf(rows.database, name)
  const content = await rows.addContent()
  const copy = await rows.addCopy(content, await rows.addDataSet())
  await rows.database.write(async (tx) => {
    await addVersion(tx, content.contentId)
    await runSql(tx, "update copies set last_error = 'no space left' where id = ?", copy)
  })
  expect((await placements.ofVersion(1, 'v'))?.message).toBe(message)
})

test.each(['lost', 'removed'] as const)('a copy that is %s is listed only while its slot has no later copy', async (state) => {
  await using rows = await openStorageRows()
  const placements = placementsOf(rows.database)
  const content = await rows.addContent()
  const [old, other] = [await rows.addDataSet(), await rows.addDataSet()]
  const ended = await rows.addCopy(content, old, 'committed')
  await rows.addCopy(content, other, 'committed')
  await rows.database.write(async (tx) => {
    await addVersion(tx, content.contentId)
    await runSql(tx, "update copies set state = ?, last_error = 'the data set has ended' where id = ?", state, ended)
  })
  const listed = async () =>
    (await placements.ofVersion(1, 'v'))?.copies.map(({ copyIndex, status, providerId }) => [copyIndex, status, providerId])
  expect(await listed()).toEqual([
    [0, 'failed', '1'],
    [1, 'committed', '2'],
  ])

  const next = await rows.addDataSet({ providerId: '7' })
  const moved = await rows.addCopy(content, next, 'planned')
  await rows.database.write((tx) => runSql(tx, 'update copies set slot = 0 where id = ?', moved))
  expect(await listed()).toEqual([
    [0, 'pending', '7'],
    [1, 'committed', '2'],
  ])
  expect((await placements.ofVersion(1, 'v'))?.message).toBeNull()
})

test('a content and its task are read in one snapshot: a task that ends in between would make the object look failed', async () => {
  await using rows = await openStorageRows()
  let snapshots = 0
  const outside = () => {
    throw new Error('read outside of the snapshot')
  }
  const placements = placementsOf({
    ...rows.database,
    read: { get: outside, all: outside },
    snapshot: (look) => {
      snapshots += 1
      return rows.database.snapshot(look)
    },
  })
  const { contentId } = await rows.addContent()
  expect((await placements.ofContents([contentId])).get(contentId)).toMatchObject({ state: 'cached' })
  expect(await placements.ofVersion(1, 'none')).toBeUndefined()
  expect(snapshots).toBe(2)
})

test.runIf(runsOnSqlite())('the data sets of a bucket are listed without a look at its contents that are one piece', async () => {
  await using rows = await openStorageRows()
  const seen: string[] = []
  await listDataSetRecords(
    watchStatements(rows.database.read, (sql) => seen.push(sql)),
    [1],
  )
  const ofContents = (await queryPlan(rows.database.read, seen)).filter((step) => step.startsWith('SEARCH c '))
  expect(ofContents).toEqual(Array(2).fill('SEARCH c USING INDEX contents_of_bucket (bucket_id=? AND part_count>?)'))
})
