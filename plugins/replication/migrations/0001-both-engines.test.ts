import { expect, test } from 'vitest'
import type { Reader } from '#kernel'
import { allRows, getRow, insertRow, openTestDatabase, runSql, runsOnSqlite } from '#kernel/testing'
import { storageMigrations } from '../../storage/testing/rows.ts'
import { contentSchemas, replicationSchema } from '../testing/schemas.ts'
import { bothEnginesMigration } from './0001-both-engines.ts'

const at17 = storageMigrations.findIndex(({ name }) => name === '0017-both-engines')
const before17 = storageMigrations.slice(0, at17)
/** Later migrations change tables that these tests compare. */
const baseline = [
  { name: 'storage', migrations: storageMigrations.slice(0, at17 + 1) },
  { name: 'replication', migrations: [bothEnginesMigration] },
]
const earlier = [{ name: 'storage', migrations: before17 }]
const storageOnly = [{ name: 'storage', migrations: storageMigrations }]

/** Rows in every table, with gaps in the ids: the highest ids were given to rows that are deleted by now. */
const rows = [
  `insert into buckets (id, name, owner_access_key, default_copies, minimum_durable_copies, created_at, updated_at) values (3, 'photos', 'owner', 2, 1, 1, 2)`,
  'insert into bucket_stats (bucket_id, live_objects, live_bytes, versions, version_bytes, tombstones) values (3, 1, 5, 2, 12, 1)',
  ...[4, 7, 99].map(
    (
      id,
    ) => `insert into contents (id, bucket_id, identity, size, sha256, ref_count, target_copies, durable_copies, readable_copies, store_state, created_at, updated_at)
      values (${id}, 3, 's256:${id}', ${id}, 'ab', 1, 2, 1, 1, 'storing', 1, 2)`,
  ),
  `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, headers, user_metadata, checksums, created_at)
     values (3, 'a', -2, 'v2', 4, 0, 4, 'e', 't', '{}', '{}', '{}', 5)`,
  `insert into object_versions (bucket_id, key, rseq, version_id, content_id, is_delete_marker, size, etag, content_type, created_at)
     values (3, 'b', -1, 'v1', 7, 0, 7, 'e', 't', 5), (3, 'b', -2, 'v3', null, 1, 0, '', '', 6)`,
  `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (3, 'gone', 'v0', -1, 4, 4, 'e', 5), (3, 'a', 'v2', -2, 4, 4, 'e', 5)`,
  "delete from object_heads where key = 'gone'",
  `insert into object_tombstones (bucket_id, key, marker_version_id, rseq, deleted_at, is_restorable) values (3, 'b', 'v3', -2, 6, 1)`,
  `insert into cache_entries (content_id, bytes, releasable, accessed_at, cached_at, awaits_proof) values (4, 4, 1, 8, 9, 1)`,
  `insert into cache_blobs (blob_id, content_id, ordinal, length, epoch) values ('blob', 4, 0, 4, 11)`,
  'insert into cache_epochs (epoch, swept_at) values (11, 12)',
  "insert into copy_keepers (name, was_absent) values ('replication', 0)",
  `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state, landed_epoch, refusals, created_at, updated_at)
     values (5, 3, 0, 1, '1', '0x', '0x', 'http://p', '8', '9', 'ready', 7, 2, 1, 2)`,
  'insert into replica_slots (bucket_id, slot, current_data_set_id) values (3, 0, 5)',
  "insert into provider_refusals (id, provider_id, at) values (6, '1', 4)",
  `insert into pieces (id, content_id, part_no, offset_bytes, length, piece_cid, is_proven) values (2, 4, 0, 0, 4, 'cid', 1), (3, 7, 0, 0, 7, null, 0)`,
  "insert into piece_chunk_roots (piece_id, chunk_roots) values (2, x'0aff')",
  `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, next_piece_id, final_at, created_at, updated_at) values (8, 5, 'store', 'confirmed', 'n', '0x', '4', 3, 1, 2)`,
  `insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, batch_id, committed_at, created_at, updated_at)
     values (6, 2, 4, 5, 0, 'committed', 'store', '3', 8, 2, 1, 2)`,
  "insert into commit_items (batch_id, ordinal, copy_id, piece_cid) values (8, 0, 6, 'cid'), (8, 1, 77, 'of a deleted copy')",
  `insert into removal_attempts (id, data_set_id, extra_data, started_at, updated_at) values (4, 5, '0x', 3, 4), (50, 5, '0x', 3, 4)`,
  `insert into removals (id, data_set_id, chain_piece_id, copy_id, content_id, state, attempt_id, created_at, updated_at) values (2, 5, '1', 76, 75, 'removed', 4, 1, 2), (60, 5, '2', 76, 75, 'removed', 4, 1, 2)`,
  'delete from contents where id = 99',
  'delete from removal_attempts where id = 50',
  'delete from removals where id = 60',
]

const names =
  `buckets bucket_stats contents object_versions object_heads object_tombstones object_ids cache_entries cache_blobs cache_epochs
  copy_keepers data_sets replica_slots data_set_totals provider_refusals pieces piece_chunk_roots commit_batches commit_items copies
  removal_attempts removals`.split(/\s+/)
const sorted = (list: readonly unknown[]) => list.map((row) => JSON.stringify(row)).sort()
const contentOf = async (read: Reader) =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, sorted(await allRows(read, `select * from ${name}`))] as const)))
const indexesOf = (read: Reader) =>
  allRows(
    read,
    `select name, tbl_name, replace(sql, '"', '') as sql from sqlite_schema where type = 'index' and sql is not null order by name`,
  )

async function openBefore(...statements: readonly string[]) {
  const database = await openTestDatabase(earlier)
  await database.write(async (tx) => {
    for (const statement of statements) await runSql(tx, statement)
  })
  return database
}

test.runIf(runsOnSqlite())('the upgrade to tables with foreign keys keeps all rows, ids, totals and indexes', async () => {
  await using before = await openBefore(...rows)
  const [had, hadIndexes] = [await contentOf(before.read), await indexesOf(before.read)]
  expect(Object.values(had).every((list) => list.length > 0)).toBe(true)
  await using database = await openTestDatabase(baseline, { dir: before.dir })
  expect(await contentOf(database.read)).toEqual(had)
  expect(await indexesOf(database.read)).toEqual(hadIndexes)
  expect(await allRows(database.read, 'pragma foreign_key_check')).toEqual([])
  // Ids of deleted rows are not given again.
  const ids = await database.write(async (tx) => [
    await insertRow(
      tx,
      `insert into contents (bucket_id, identity, size, ref_count, target_copies, created_at, updated_at) values (3, 'x', 1, 1, 1, 0, 0)`,
    ),
    await insertRow(tx, "insert into removal_attempts (data_set_id, extra_data, started_at, updated_at) values (5, '0x', 0, 0)"),
    await insertRow(
      tx,
      `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (5, '9', 1, 1, 'pending', 0, 0)`,
    ),
  ])
  expect(ids).toEqual([100, 51, 61])
})

test.runIf(runsOnSqlite())('totals that changed while replication was disabled during the upgrade are counted anew', async () => {
  await using before = await openBefore(...rows)
  await using without = await openTestDatabase(storageOnly, { dir: before.dir, otherSchemas: [replicationSchema] })
  await without.write((tx) => runSql(tx, 'update contents set ref_count = 5 where id = 4'))
  await using database = await openTestDatabase(contentSchemas, { dir: before.dir })
  expect(await getRow(database.read, 'select * from data_set_totals')).toEqual({
    data_set_id: 5,
    committed_copies: 1,
    committed_bytes: 4,
    referenced_versions: 5,
    current_versions: 1,
  })
})

test.runIf(runsOnSqlite())(
  'versions whose content is missing stay listed: the content is repaired, and lost without cached bytes',
  async () => {
    await using before = await openBefore(...rows, 'delete from contents')
    const reported: unknown[] = []
    await using database = await openTestDatabase(contentSchemas, { dir: before.dir, onOrphans: (orphans) => void reported.push(orphans) })
    const { read } = database
    expect(await allRows(read, 'select id, state, store_state as store, ref_count as refs from contents order by id')).toEqual([
      { id: 4, state: 'live', store: 'unstored', refs: 1 },
      { id: 7, state: 'live', store: 'lost', refs: 1 },
    ])
    expect(await getRow(read, 'select was_absent as absent from copy_keepers')).toEqual({ absent: 1 })
    expect(reported).toEqual([])
  },
)

test.runIf(runsOnSqlite())(
  'I-18: copies of a content that was deleted while their keeper was disabled are given up, and other rows of it are kept as JSON',
  async () => {
    await using before = await openBefore(
      ...rows,
      "delete from object_versions where key = 'a'",
      "delete from object_heads where key = 'a'",
      'delete from contents where id = 4',
      `insert into pieces (id, content_id, part_no, offset_bytes, length, piece_cid) values (9, 98, 0, 0, 4, 'other')`,
      "insert into piece_chunk_roots (piece_id, chunk_roots) values (9, x'0b')",
      `insert into cache_blobs (blob_id, content_id, ordinal, length, epoch) values ('lost', 98, 0, 4, 11)`,
    )
    const reported: unknown[] = []
    await using database = await openTestDatabase(contentSchemas, { dir: before.dir, onOrphans: (orphans) => void reported.push(orphans) })
    const { read } = database
    expect(await getRow(read, 'select state, ref_count as refs, bucket_id as bucket from contents where id = 4')).toEqual({
      state: 'deleting',
      refs: 0,
      bucket: 3,
    })
    expect(await allRows(read, 'select id, content_id as content from copies')).toEqual([{ id: 6, content: 4 }])
    expect(await getRow(read, 'select was_absent as absent from copy_keepers')).toEqual({ absent: 1 })
    expect(await getRow(read, 'select swept_at as swept from cache_epochs')).toEqual({ swept: null })
    const keptIn = 'svc_orphaned_row'
    expect(reported).toEqual([
      { table: 'cache_blobs', parent: 'contents', rows: 1, keptIn },
      { table: 'pieces', parent: 'contents', rows: 1, keptIn },
      { table: 'piece_chunk_roots', parent: 'pieces', rows: 1, keptIn },
    ])
    expect((await allRows<{ row: string }>(read, `select row from ${keptIn}`)).map(({ row }) => JSON.parse(row) as unknown)).toEqual([
      { blob_id: 'lost', content_id: 98, ordinal: 0, length: 4, epoch: 11 },
      { id: 9, content_id: 98, part_no: 0, offset_bytes: 0, length: 4, piece_cid: 'other', is_proven: 0 },
      { piece_id: 9, chunk_roots: '0B' },
    ])
  },
)

test.runIf(runsOnSqlite())('a committed copy without its piece does not stop the upgrade', async () => {
  await using before = await openBefore(...rows, 'delete from pieces where id = 2')
  const reported: { readonly table: string }[] = []
  await using database = await openTestDatabase(contentSchemas, {
    dir: before.dir,
    onOrphans: (orphans) => void reported.push(...[orphans].flat()),
  })
  expect(reported.map(({ table }) => table)).toContain('copies')
  expect(await allRows(database.read, 'select * from copies')).toEqual([])
})

test.runIf(runsOnSqlite())('a delete finds the rows that may refer to it by an index', async () => {
  await using database = await openTestDatabase(contentSchemas)
  for (const [table, children] of [
    ['contents', 11],
    ['pieces', 2],
  ] as const) {
    const plan = await allRows<{ detail: string }>(database.read, `explain query plan delete from ${table} where id = 1`)
    expect(plan).toHaveLength(1 + children)
    expect(plan.filter(({ detail }) => detail.startsWith('SCAN'))).toEqual([])
  }
})
