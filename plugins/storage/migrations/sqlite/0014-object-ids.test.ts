import { expect, test } from 'vitest'
import { allRows, getRow, openTestDatabase, runSql, runsOnSqlite } from '#kernel/testing'
import { openObjectStorage } from '../../testing/object-storage.ts'
import { objectsMigration } from './0001-objects.ts'
import { copiesMigration } from './0002-copies.ts'
import { listReadsMigration } from './0004-list-reads.ts'
import { objectIdsMigration } from './0014-object-ids.ts'
import { versionCountsMigration } from './0015-version-counts.ts'

test('an object keeps its id over an overwrite, and no other object gets it', async () => {
  await using storage = await openObjectStorage()
  const ids = async () => (await storage.objects.list({ bucket: 'photos', limit: 10 })).entries.map(({ key, id }) => [key, id])
  for (const key of ['b', 'a', 'b', 'c']) await storage.put(key, `bytes of ${key}`)
  expect(await ids()).toEqual([
    ['a', 2],
    ['b', 1],
    ['c', 3],
  ])
  await storage.objects.delete('photos', 'c')
  await storage.put('c', 'other bytes')
  expect(await ids()).toContainEqual(['c', 4])
})

test.runIf(runsOnSqlite())('objects stored before the migration are numbered and counted', async () => {
  await using database = await openTestDatabase([{ name: 'storage', migrations: [objectsMigration, copiesMigration, listReadsMigration] }])
  const ids = await database.write(async (tx) => {
    for (const key of ['b', 'a']) {
      await runSql(
        tx,
        `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (1, ?, ?, -1, 1, 1, '', 0)`,
        key,
        key,
      )
    }
    await runSql(
      tx,
      `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, created_at, updated_at) values (1, 1, 'x', 1, 5, 1, 0, 0)`,
    )
    await runSql(
      tx,
      `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, state, created_at, updated_at)
       values (1, 1, 0, 1, '1', '', '', '', '1', 'ready', 0, 0)`,
    )
    await runSql(tx, 'insert into pieces (id, content_id, part_no, offset_bytes, length) values (1, 1, 0, 0, 1)')
    await runSql(
      tx,
      `insert into copies (piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, created_at, updated_at) values (1, 1, 1, 0, 'committed', 'store', '7', 0, 0)`,
    )
    for (const { statements } of [objectIdsMigration, versionCountsMigration])
      for (const statement of statements) await runSql(tx, statement)
    await runSql(
      tx,
      `insert into object_heads (bucket_id, key, version_id, rseq, content_id, size, etag, last_modified) values (1, 'c', 'c', -1, 1, 1, '', 0)`,
    )
    return await allRows(tx, 'select key, id from object_heads order by key')
  })
  expect(ids).toMatchObject([
    { key: 'a', id: 1 },
    { key: 'b', id: 2 },
    { key: 'c', id: 3 },
  ])
  expect(await getRow(database.read, 'select referenced_versions, current_versions from data_set_totals')).toMatchObject({
    referenced_versions: 5,
    current_versions: 3,
  })
})
