import { expect, test } from 'vitest'
import { allRows, describeOnEngines, getRow, runSql } from '#kernel/testing'
import { contentSchemas } from './testing/schemas.ts'

const bucket =
  "insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (1, 'photos', 2, 1, 0, 0)"
const head = (key: string) =>
  `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (1, '${key}', 'v', -1, 2, 5, '', 0)`
/** A content with two versions, one of them current, and a committed copy of it. */
const counted = [
  bucket,
  ...[1, 2].map(
    (id) =>
      `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, created_at, updated_at) values (${id}, 1, '${id}', 5, 1, 1, 0, 0)`,
  ),
  `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, state, created_at, updated_at)
     values (1, 1, 0, 1, '1', '', '', '', '1', 'ready', 0, 0)`,
  'insert into pieces (id, content_id, part_no, offset_bytes, length) values (1, 1, 0, 0, 5)',
  `insert into copies (piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at)
     values (1, 1, 1, 0, 'planned', 'store', '7', 0, 0)`,
  "update copies set state = 'committed'",
  'update contents set ref_count = 2 where id = 1',
  head('a'),
  head('b'),
  "update object_heads set content_id = 1 where key = 'a'",
]
const totals =
  'select committed_copies as copies, committed_bytes as bytes, referenced_versions as referenced, current_versions as "current" from data_set_totals'

await describeOnEngines('the tables of contents and copies', ({ open, dialect }) => {
  test('a row without its parent is refused', async () => {
    await using database = await open(contentSchemas)
    const orphan = 'insert into pieces (content_id, part_no, offset_bytes, length) values (1, 0, 0, 1)'
    await expect(database.write((tx) => runSql(tx, orphan))).rejects.toThrow(/foreign key/i)
    expect(await allRows(database.read, 'select id from pieces')).toEqual([])
  })

  test('triggers count the copies and versions of a data set, and number the objects', async () => {
    await using database = await open(contentSchemas)
    await database.write(async (tx) => {
      for (const statement of counted) await runSql(tx, statement)
    })
    expect(await getRow(database.read, totals)).toEqual({ copies: 1, bytes: 5, referenced: 2, current: 1 })
    expect(await allRows(database.read, 'select key, id from object_heads order by key')).toEqual([
      { key: 'a', id: 1 },
      { key: 'b', id: 2 },
    ])
    await database.write(async (tx) => {
      for (const statement of ["update copies set state = 'lost'", 'delete from copies', "delete from object_heads where key = 'a'"]) {
        await runSql(tx, statement)
      }
    })
    expect(await getRow(database.read, totals)).toEqual({ copies: 0, bytes: 0, referenced: 0, current: 0 })
    expect(await getRow(database.read, 'select current_count as n from contents where id = 1')).toEqual({ n: 0 })
  })

  test('the chunk roots of a piece are deleted with it', async () => {
    await using database = await open(contentSchemas)
    await database.write(async (tx) => {
      for (const statement of counted.slice(0, 5)) await runSql(tx, statement)
      await runSql(tx, 'insert into piece_chunk_roots (piece_id, chunk_roots) values (1, ?)', new Uint8Array(32))
      await runSql(tx, 'delete from pieces')
    })
    expect(await allRows(database.read, 'select piece_id from piece_chunk_roots')).toEqual([])
  })

  test.runIf(dialect === 'postgres')('all texts of contents and copies are compared by their bytes', async () => {
    await using database = await open(contentSchemas)
    const others = `select table_name, column_name from information_schema.columns where table_schema = current_schema() and data_type = 'text'
      and table_name not in ('svc_migration', 'svc_migrated_by', 'tasks', 'task_counts') and collation_name is distinct from 'C'`
    expect(await allRows(database.read, others)).toEqual([])
  })
})
