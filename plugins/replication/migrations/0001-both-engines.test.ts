import { expect, test } from 'vitest'
import { type Reader, sqlStatement } from '#kernel'
import { describeOnEngines, openTestDatabase } from '#kernel/testing'
import { storageMigrations } from '../../storage/testing/rows.ts'
import { contentSchemas, replicationSchema } from '../testing/schemas.ts'

const before17 = storageMigrations.slice(0, -1)
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

type NoParams = Record<never, never>

const addBucket = sqlStatement(
  "insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'photos', 2, 1, 0, 0)",
)
const addOrphan = sqlStatement('insert into pieces (content_id, part_no, offset_bytes, length) values (1, 0, 0, 1)')
const countPieces = sqlStatement<NoParams, { n: number }>('select count(*) as n from pieces')
const addTombstone = sqlStatement<{ key: string }>(
  "insert into object_tombstones (bucket_id, key, marker_version_id, rseq, deleted_at, is_restorable) values (1, :key, '', -1, 0, 1)",
)
const tombstones = sqlStatement<NoParams, { key: string }>('select key from object_tombstones order by key')
const heads = sqlStatement<NoParams, { key: string; id: number }>('select key, id from object_heads order by key')
const totals = sqlStatement<NoParams, Record<'copies' | 'bytes' | 'referenced' | 'current', number>>(
  'select committed_copies as copies, committed_bytes as bytes, referenced_versions as referenced, current_versions as "current" from data_set_totals',
)
/** A content with two versions, one of them current, and a committed copy of it. */
const counted = [
  addBucket,
  sqlStatement(
    `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, created_at, updated_at) values (1, 1, 'x', 5, 1, 1, 0, 0), (2, 1, 'y', 5, 1, 1, 0, 0)`,
  ),
  sqlStatement(`insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, state, created_at, updated_at)
    values (1, 1, 0, 1, '1', '', '', '', '1', 'ready', 0, 0)`),
  sqlStatement('insert into pieces (id, content_id, part_no, offset_bytes, length) values (1, 1, 0, 0, 5)'),
  sqlStatement({
    sqlite: "insert into piece_chunk_roots (piece_id, chunk_roots) values (1, x'0b')",
    postgres: "insert into piece_chunk_roots (piece_id, chunk_roots) values (1, '\\x0b')",
  }),
  sqlStatement(
    `insert into copies (piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at) values (1, 1, 1, 0, 'planned', 'store', '7', 0, 0)`,
  ),
  sqlStatement("update copies set state = 'committed'"),
  sqlStatement('update contents set ref_count = 2 where id = 1'),
  sqlStatement(
    `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (1, 'a', 'v', -1, 2, 5, '', 0), (1, 'b', 'w', -1, 2, 5, '', 0)`,
  ),
  sqlStatement("update object_heads set content_id = 1 where key = 'a'"),
]

const names =
  `buckets bucket_stats contents object_versions object_heads object_tombstones object_ids cache_entries cache_blobs cache_epochs
  copy_keepers data_sets replica_slots data_set_totals provider_refusals pieces piece_chunk_roots commit_batches commit_items copies
  removal_attempts removals`.split(/\s+/)
const contentOf = (read: Reader) =>
  Object.fromEntries(
    names.map((name) => [name, read.all(`select * from ${name}`).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))]),
  )
const indexesOf = (read: Reader) =>
  read.all(`select name, tbl_name, replace(sql, '"', '') as sql from sqlite_schema where type = 'index' and sql is not null order by name`)

async function openBefore(...statements: readonly string[]) {
  const database = await openTestDatabase(earlier)
  await database.write((tx) => {
    for (const statement of statements) tx.run(statement)
  })
  return database
}

test('the upgrade to tables with foreign keys keeps all rows, ids, totals and indexes', async () => {
  await using before = await openBefore(...rows)
  const [had, hadIndexes] = [contentOf(before.read), indexesOf(before.read)]
  expect(Object.values(had).every((list) => list.length > 0)).toBe(true)
  await using database = await openTestDatabase(contentSchemas, { dir: before.dir })
  expect(contentOf(database.read)).toEqual(had)
  expect(indexesOf(database.read)).toEqual(hadIndexes)
  expect(database.read.all('pragma foreign_key_check')).toEqual([])
  // Ids of deleted rows are not given again.
  const ids = await database.write((tx) => [
    tx.run(
      `insert into contents (bucket_id, identity, size, ref_count, target_copies, created_at, updated_at) values (3, 'x', 1, 1, 1, 0, 0)`,
    ).lastId,
    tx.run("insert into removal_attempts (data_set_id, extra_data, started_at, updated_at) values (5, '0x', 0, 0)").lastId,
    tx.run(
      `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (5, '9', 1, 1, 'pending', 0, 0)`,
    ).lastId,
  ])
  expect(ids).toEqual([100, 51, 61])
})

test('totals that changed while replication was disabled during the upgrade are counted anew', async () => {
  await using before = await openBefore(...rows)
  await using without = await openTestDatabase(storageOnly, { dir: before.dir, otherSchemas: [replicationSchema] })
  await without.write((tx) => tx.run('update contents set ref_count = 5 where id = 4'))
  await using database = await openTestDatabase(contentSchemas, { dir: before.dir })
  expect(database.read.get('select * from data_set_totals')).toEqual({
    data_set_id: 5,
    committed_copies: 1,
    committed_bytes: 4,
    referenced_versions: 5,
    current_versions: 1,
  })
})

test('rows whose content is missing are repaired or set aside, and reported', async () => {
  await using before = await openBefore(...rows, 'delete from contents')
  const reported: unknown[] = []
  await using database = await openTestDatabase(contentSchemas, { dir: before.dir, onOrphans: (orphans) => void reported.push(orphans) })
  const { read } = database
  // Versions stay listed, and copies of contents without versions are removed by the next start with their keeper.
  expect(read.all('select id, state, store_state as store, ref_count as refs from contents order by id')).toEqual([
    { id: 4, state: 'live', store: 'lost', refs: 1 },
    { id: 7, state: 'live', store: 'lost', refs: 1 },
  ])
  expect(reported).toEqual([])
})

test('I-18: copies of a content that was deleted while their keeper was disabled are given up, and other rows of it are kept as JSON', async () => {
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
  expect(read.get('select state, ref_count as refs, bucket_id as bucket from contents where id = 4')).toEqual({
    state: 'deleting',
    refs: 0,
    bucket: 3,
  })
  expect(read.all('select id, content_id as content from copies')).toEqual([{ id: 6, content: 4 }])
  expect(read.get('select was_absent as absent from copy_keepers')).toEqual({ absent: 1 })
  expect(read.get('select swept_at as swept from cache_epochs')).toEqual({ swept: null })
  const keptIn = 'svc_orphaned_row'
  expect(reported).toEqual([
    { table: 'cache_blobs', parent: 'contents', rows: 1, keptIn },
    { table: 'pieces', parent: 'contents', rows: 1, keptIn },
    { table: 'piece_chunk_roots', parent: 'pieces', rows: 1, keptIn },
  ])
  expect(read.all<{ row: string }>(`select row from ${keptIn}`).map(({ row }) => JSON.parse(row) as unknown)).toEqual([
    { blob_id: 'lost', content_id: 98, ordinal: 0, length: 4, epoch: 11 },
    { id: 9, content_id: 98, part_no: 0, offset_bytes: 0, length: 4, piece_cid: 'other', is_proven: 0 },
    { piece_id: 9, chunk_roots: '0B' },
  ])
})

test('a delete finds the rows that may refer to it by an index', async () => {
  await using database = await openTestDatabase(contentSchemas)
  for (const [table, children] of [
    ['contents', 5],
    ['pieces', 2],
  ] as const) {
    const plan = database.read.all<{ detail: string }>(`explain query plan delete from ${table} where id = 1`)
    expect(plan).toHaveLength(1 + children)
    expect(plan.filter(({ detail }) => detail.startsWith('SCAN'))).toEqual([])
  }
})

await describeOnEngines('the tables of contents and copies', ({ open }) => {
  test('a row without its parent is refused', async () => {
    await using database = await open(contentSchemas)
    await expect(database.write((tx) => tx.run(addOrphan))).rejects.toThrow(/foreign key/i)
    expect(await database.read.get(countPieces)).toEqual({ n: 0 })
  })

  test('triggers count the copies and versions of a data set, number the objects and delete roots with their piece', async () => {
    await using database = await open(contentSchemas)
    await database.write(async (tx) => {
      for (const statement of counted) await tx.run(statement)
    })
    expect(await database.read.get(totals)).toEqual({ copies: 1, bytes: 5, referenced: 2, current: 1 })
    expect(await database.read.all(heads)).toEqual([
      { key: 'a', id: 1 },
      { key: 'b', id: 2 },
    ])
    await database.write(async (tx) => {
      await tx.run(sqlStatement("update copies set state = 'lost'"))
      await tx.run(sqlStatement('delete from copies'))
      await tx.run(sqlStatement('delete from pieces'))
      await tx.run(sqlStatement("delete from object_heads where key = 'a'"))
    })
    expect(await database.read.get(totals)).toEqual({ copies: 0, bytes: 0, referenced: 0, current: 0 })
    expect(await database.read.get(sqlStatement<NoParams, { n: number }>('select count(*) as n from piece_chunk_roots'))).toEqual({ n: 0 })
    expect(await database.read.get(sqlStatement<NoParams, { n: number }>('select current_count as n from contents where id = 1'))).toEqual({
      n: 0,
    })
  })

  test('keys are ordered by their bytes', async () => {
    await using database = await open(contentSchemas)
    await database.write(async (tx) => {
      await tx.run(addBucket)
      for (const key of ['a', 'B', 'Z', 'é', 'a b']) await tx.run(addTombstone, { key })
    })
    expect((await database.read.all(tombstones)).map(({ key }) => key)).toEqual(['B', 'Z', 'a', 'a b', 'é'])
  })
})
