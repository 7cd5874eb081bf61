import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSql, runsOnSqlite } from '#kernel/testing'
import { type ObjectStorage, openObjectStorage } from '../../storage/testing/object-storage.ts'
import { blobsOfContent } from '../../storage/testing/rows.ts'
import { checkInvariants } from './check-invariants.ts'
import { replicationSchema } from './schemas.ts'

let storage: ObjectStorage

beforeAll(async () => {
  storage = await openObjectStorage({ moreSchemas: [replicationSchema] })
  await storage.put('live', 'bytes')
  await storage.put('live', 'newer bytes')
  await storage.put('gone', 'other bytes')
  await storage.objects.delete('photos', 'gone')
})

afterAll(() => storage[Symbol.asyncDispose]())

class RolledBack extends Error {}

/** Foreign keys would refuse some of the changes at once; none is committed. */
const deferForeignKeys = runsOnSqlite()
  ? 'pragma defer_foreign_keys = on'
  : `do $$ declare found record; begin
       for found in select cast(conrelid as regclass) as owner, conname from pg_constraint where contype = 'f' loop
         execute format('alter table %s alter constraint %I deferrable initially deferred', found.owner, found.conname);
       end loop;
     end $$`

/** Applies the changes in a transaction, returns what checkInvariants reports, and rolls back. */
async function problemsWith(...changes: readonly string[]): Promise<readonly string[]> {
  let problems: readonly string[] = []
  const transaction = storage.database.write(async (tx) => {
    await runSql(tx, deferForeignKeys)
    for (const change of changes) await runSql(tx, change)
    problems = await checkInvariants(tx)
    throw new RolledBack()
  })
  await expect(transaction).rejects.toBeInstanceOf(RolledBack)
  return problems
}

const dataSet = (id: number, slot: number, state = 'ready') =>
  `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, state, created_at, updated_at)
   values (${id}, 1, ${slot}, ${id}, '${id}', '', '', '', '${id}', '${state}', 0, 0)`
const piece = `insert into pieces (id, content_id, part_no, offset_bytes, length, piece_cid) values (1, 1, 0, 0, 5, null)`
const committed = `insert into copies (piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at)
  values (1, 1, 1, 0, 'committed', 'store', '7', 0, 0)`

test('a consistent database has no problems', async () => {
  expect(await problemsWith()).toEqual([])
  expect(await checkInvariants(storage.database.read, { cacheDir: join(storage.dir, 'cache'), ...storage.cache.stats() })).toEqual([])
  expect(
    await problemsWith(
      piece,
      `update pieces set piece_cid = 'b'`,
      dataSet(1, 0),
      committed,
      'update contents set durable_copies = case when id = 1 then 1 else 0 end',
    ),
  ).toEqual([])
})

test.each([
  ['I-17', `delete from object_heads where key = 'live'`],
  ['I-17', `update object_heads set etag = 'x' where key = 'live'`],
  ['I-17', `update object_tombstones set rseq = rseq - 1`],
  ['I-17', `update object_tombstones set is_restorable = 0`],
  ['I-17', `insert into object_tombstones values (1, 'live', 'v', -1, 0, 0)`],
  ['I-17', `insert into object_heads values (1, 'no version', 'v', -1, 1, 1, '', 0, 9, null)`],
  ['I-18', 'update contents set ref_count = 2 where id = 1'],
  ['I-18', `update contents set state = 'deleting' where id = 1`],
  ['I-18', `update object_versions set content_id = 99 where key = 'live'`],
  ['I-19', 'update contents set durable_copies = 1 where id = 1'],
  ['I-02', 'update cache_entries set releasable = 1 where content_id = 1'],
  ['I-20', 'delete from cache_entries where content_id = 1'],
  ['I-21', piece, committed, dataSet(1, 0), 'update contents set durable_copies = 1 where id = 1'],
  ['I-27', 'drop index copies_on_chain', committed, committed.replace('(1, 1, 1,', '(2, 2, 1,')],
  ['I-22', `insert into replica_slots (bucket_id, slot, current_data_set_id) values (1, 0, 1)`, dataSet(1, 3)],
  ['I-23', 'update cache_entries set bytes = bytes + 1 where content_id = 1'],
  ['I-23', 'delete from cache_blobs where content_id = 1'],
  ['I-23', 'delete from cache_entries where content_id = 1'],
  ['I-23', `insert into cache_entries values (99, 'present', 0, 0, 0, 0, 0)`],
  ['counts', 'update bucket_stats set live_objects = live_objects + 1'],
  ['counts', 'update bucket_stats set tombstones = 0'],
  ['counts', dataSet(1, 0), 'update data_set_totals set committed_copies = 1'],
  ['counts', dataSet(1, 0), 'delete from data_set_totals'],
  ['counts', dataSet(1, 0), 'update data_set_totals set current_versions = 1'],
  ['counts', 'update contents set current_count = current_count + 1 where id = 1'],
])('%s is reported after: %s', async (id, ...changes) => {
  expect((await problemsWith(...changes)).map((problem) => problem.split(':')[0])).toContain(id)
})

test('I-01, I-23: files and the count of used bytes are compared with the rows', async () => {
  const cacheDir = join(storage.dir, 'cache')
  expect(await checkInvariants(storage.database.read, { usedBytes: 1 })).toEqual([
    expect.stringMatching(/^I-23: the cache counts 1 used bytes/),
  ])
  const [blob] = await blobsOfContent(storage.database.read, 1)
  if (!blob) throw new Error('the first content has no blob')
  await truncate(storage.cache.pathOf(blob), 3)
  expect(await checkInvariants(storage.database.read, { cacheDir })).toEqual([expect.stringMatching(/^I-01: .* has 3 bytes instead of 5$/)])
})
