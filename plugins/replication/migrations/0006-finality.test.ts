import { expect, test } from 'vitest'
import { allRows, openTestDatabase, runSql, runsOnSqlite } from '#kernel/testing'
import { objectsMigration } from '../../storage/migrations/sqlite/0001-objects.ts'
import { copiesMigration } from '../../storage/migrations/sqlite/0002-copies.ts'
import { removalsMigration } from '../../storage/migrations/sqlite/0003-removals.ts'
import { listReadsMigration } from '../../storage/migrations/sqlite/0004-list-reads.ts'
import { finalityMigration } from '../../storage/migrations/sqlite/0006-finality.ts'
import { dueBatches } from '../finality/landing-store.ts'

const earlier = [objectsMigration, copiesMigration, removalsMigration, listReadsMigration]

/** A database from before this migration, in which copies of batch 1 and batch 2 claim the same piece id. */
const displaced = [
  `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state,
     created_at, updated_at) values (1, 1, 0, 1, '1', '', '', '', '1', '7', 'ready', 0, 0)`,
  ...[1, 2, 3, 4].flatMap((id) => [
    `insert into contents (id, bucket_id, identity, size, ref_count, target_copies, durable_copies, readable_copies, store_state, created_at, updated_at)
       values (${id}, 1, '${id}', 5, 1, 1, 1, 1, 'stored', 0, 0)`,
    `insert into cache_entries (content_id, bytes, releasable, accessed_at, cached_at) values (${id}, 5, 1, 0, 0)`,
    `insert into pieces (id, content_id, part_no, offset_bytes, length, piece_cid) values (${id}, ${id}, 0, 0, 5, 'cid${id}')`,
  ]),
  ...[1, 2].map(
    (id) => `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, next_check_at, checks, created_at, updated_at)
       values (${id}, 1, 'store', 'confirmed', '${id}', '0x', 99, 9, 0, 0)`,
  ),
  ...[
    [1, 1, 10],
    [2, 1, 11],
    [3, 2, 10],
    [4, 2, 12],
  ].map(
    ([
      id,
      batch,
      piece,
    ]) => `insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, chain_piece_id, batch_id, created_at, updated_at)
       values (${id}, ${id}, ${id}, 1, 0, 'committed', 'store', '${piece}', ${batch}, 0, 0)`,
  ),
  `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (1, '10', 1, 1, 'pending', 0, 0)`,
  `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (1, '12', 4, 4, 'pending', 0, 0)`,
  // Submitted removals: of a copy whose batch is displaced, and in a lost data set.
  `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, attempt_id, created_at, updated_at) values (1, '11', 2, 2, 'submitted', 1, 0, 0)`,
  `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state,
     created_at, updated_at) values (2, 1, 1, 1, '2', '', '', '', '2', '8', 'lost', 0, 0)`,
  `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, attempt_id, created_at, updated_at) values (2, '11', 3, 3, 'scheduled', 2, 0, 0)`,
]

test.runIf(runsOnSqlite())(
  'I-27: the migration repairs two copies with the same piece id: the earlier batch is looked up again',
  async () => {
    await using before = await openTestDatabase([{ name: 'storage', migrations: earlier }])
    await before.write(async (tx) => {
      for (const statement of displaced) await runSql(tx, statement)
    })
    await using database = await openTestDatabase([{ name: 'storage', migrations: [...earlier, finalityMigration] }], { dir: before.dir })
    const { read } = database
    expect(await allRows(read, 'select state, chain_piece_id as piece from copies order by id')).toEqual([
      { state: 'unconfirmed', piece: null },
      { state: 'unconfirmed', piece: null },
      { state: 'committed', piece: '10' },
      { state: 'committed', piece: '12' },
    ])
    expect((await allRows(read, 'select durable_copies as durable, store_state as state from contents order by id')).slice(1, 3)).toEqual([
      { durable: 0, state: 'storing' },
      { durable: 1, state: 'stored' },
    ])
    expect(await allRows(read, 'select content_id as id from cache_entries where releasable = 1')).toEqual([{ id: 3 }, { id: 4 }])
    expect(await allRows(read, `select chain_piece_id as piece, piece_cid as cid from removals where state <> 'moot'`)).toEqual([
      { piece: '12', cid: 'cid4' },
    ])
    expect(await allRows(read, `select id from removals where state = 'moot'`)).toHaveLength(2)
    expect((await dueBatches(read, 0, 10)).map(({ id, landing }) => [id, landing.nextPieceId])).toEqual([
      [1, 0n],
      [2, null],
    ])
    const again = `update copies set state = 'committed', chain_piece_id = '10' where id = 1`
    await expect(database.write((tx) => runSql(tx, again))).rejects.toThrow(/UNIQUE/)
    // The piece ids of ended removals may be reused: after a reorganisation another piece may have them.
    await database.write(async (tx) => {
      await runSql(tx, `update removals set state = 'removed'`)
      await runSql(
        tx,
        `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (1, '12', 3, 3, 'pending', 0, 0)`,
      )
    })
  },
)
