import { expect, test } from 'vitest'
import { createFakeClock, runSql } from '#kernel/testing'
import { openStorageRows } from '../../testing/storage-rows.ts'
import { classesOf, type DependentContent } from './count-dependence-policy.ts'
import { createProviderDependences } from './provider-dependences.ts'

const content: DependentContent = {
  id: 1,
  contents: 1,
  size: 9,
  versions: 1,
  target: 3,
  leaves: 4n,
  durable: 2,
  readable: 2,
  isCached: false,
  isHeld: false,
}
const judged: readonly (readonly [string, Partial<DependentContent>, readonly string[]])[] = [
  ['two other copies of three', {}, ['all', 'belowTarget']],
  ['all copies elsewhere', { durable: 3, readable: 3 }, ['all']],
  ['less than the minimum', { durable: 1, readable: 1 }, ['all', 'belowTarget', 'belowMinimum']],
  ['an uncommitted copy elsewhere', { durable: 0, readable: 1 }, ['all', 'belowTarget', 'belowMinimum']],
  ['only the cache', { durable: 0, readable: 0, isCached: true }, ['all', 'belowTarget', 'belowMinimum', 'noOtherCopy']],
  ['nothing', { durable: 0, readable: 0 }, ['all', 'belowTarget', 'belowMinimum', 'noOtherCopy', 'lost']],
]
test.each(judged)('without its provider, a content with %s is counted in %j', (_what, more, expected) => {
  expect(classesOf({ ...content, ...more }, 2)).toEqual(expected)
})

test('contents, versions and bytes that depend on a provider are counted over pages, buckets and data sets', async () => {
  await using rows = await openStorageRows()
  const { database } = rows
  const sql = (text: string) => database.write((tx) => runSql(tx, text))
  // The bucket has a minimum of 2.
  const [mine, other, third] = [await rows.addDataSet({ providerId: '7' }), await rows.addDataSet(), await rows.addDataSet()]
  const add = async (dataSets: readonly (typeof mine)[], copies = 2) => {
    const added = await rows.addContent({ bytes: Buffer.alloc(1000), copies })
    for (const dataSet of dataSets) await rows.addCopy(added, dataSet, 'committed')
    return added.contentId
  }
  const safe = await add([mine, other, third])
  const alone = await add([mine])
  const cached = await add([mine])
  const denied = await add([mine, other])
  await add([other, third])
  await sql(`insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (${cached}, 9, 0, 0)`)
  await sql(
    `insert into copy_doubts (copy_id, result, next_check_at, denied_at) select id, 'missing', 0, 1 from copies where content_id = ${denied} and data_set_id = ${other.id}`,
  )
  await sql(`update contents set ref_count = 3 where id = ${safe}`)
  const clock = createFakeClock(5)
  const dependences = createProviderDependences({ clock, database })
  const before = await dependences.of('7')
  const count = (contents: number, versions = contents) => ({ contents, versions, bytes: BigInt(1000 * contents) })
  expect(before).toEqual({
    countedAtMs: 5,
    buckets: [{ bucketId: 1, bucketName: 'photos', dataSetId: mine.id, slot: 0, ...before.total }],
    total: {
      all: count(4, 6),
      belowTarget: count(3),
      belowMinimum: count(3),
      noOtherCopy: count(3),
      lost: count(2),
      pieces: 2,
      leaves: 64n,
    },
  })
  // Callers share a count for a second.
  await sql(`update contents set ref_count = 0, hold_count = 1 where id in (${alone}, ${denied})`)
  expect(await dependences.of('7')).toEqual(before)
  await clock.advance(1000)
  // A composite of both counts once, also when its parts are on different pages.
  await sql(
    `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, part_count, created_at, updated_at) values (9000, 1, 'whole', 2000, 4, 2, 2, 0, 0)`,
  )
  for (const [part, id] of [alone, denied].entries())
    await sql(`insert into content_parts (content_id, part_no, part_content_id, offset_bytes, length, store_state, durable_copies, readable_copies)
      values (9000, ${part}, ${id}, 0, 1000, 'stored', 1, 1)`)
  await sql(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 450)
    insert into contents (id, bucket_id, identity, size, ref_count, target_copies, created_at, updated_at) select 10000 + i, 1, 'n' || i, 10, 1, 1, 0, 0 from n`)
  await sql(`insert into pieces (id, content_id, part_no, offset_bytes, length) select id, id, 0, 0, 127 from contents where id > 10000`)
  await sql(`insert into copies (piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at)
    select id, id, ${mine.id}, 0, 'committed', 'pull', cast(id as text), 0, 0 from contents where id > 10000`)
  const { total } = await dependences.of('7')
  expect(total.all).toEqual({ contents: 454, versions: 458, bytes: 8500n })
  expect(total.lost).toEqual({ contents: 452, versions: 454, bytes: 6500n })
  expect([total.pieces, total.leaves]).toEqual([2, 64n])
  expect((await dependences.of('8')).buckets).toEqual([])
})

test('a pack counts as its members, and of a lost one those that are cached are not lost', async () => {
  await using rows = await openStorageRows()
  const { database } = rows
  const sql = (text: string) => database.write((tx) => runSql(tx, text))
  const mine = await rows.addDataSet({ providerId: '7' })
  const { contentId: packId, ...piece } = await rows.addContent({ bytes: Buffer.alloc(5000), copies: 2 })
  await rows.addCopy({ contentId: packId, ...piece }, mine, 'committed')
  await sql(`update contents set ref_count = 0, hold_count = 1 where id = ${packId}`)
  await sql(`insert into packs (content_id, bucket_id, created_at) values (${packId}, 1, 0)`)
  for (const [at, id] of [9001, 9002, 9003].entries()) {
    await sql(`insert into contents (id, bucket_id, identity, size, ref_count, target_copies, created_at, updated_at)
      values (${id}, 1, 'm${id}', 1000, 2, 2, 0, 0)`)
    await sql(`insert into pack_members (content_id, pack_id, offset_bytes, length) values (${id}, ${packId}, ${at * 1100 + 32}, 1000)`)
  }
  await sql('insert into cache_entries (content_id, bytes, accessed_at, cached_at) values (9002, 1000, 0, 0)')
  const dependences = createProviderDependences({ clock: createFakeClock(5), database })
  const { total } = await dependences.of('7')
  expect(total.all).toEqual({ contents: 3, versions: 6, bytes: 3000n })
  expect(total.lost).toEqual({ contents: 2, versions: 4, bytes: 2000n })
  expect(total.pieces).toBe(1)
  expect(await dependences.lossesOf(mine.id)).toEqual({ contents: 0, versions: 0, bytes: 0n })
  await sql(`update copies set state = 'lost' where content_id = ${packId}`)
  expect(await dependences.lossesOf(mine.id)).toEqual({ contents: 2, versions: 4, bytes: 2000n })
})
