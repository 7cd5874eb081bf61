import { expect, test } from 'vitest'
import { getRow, openTestDatabase, runSql, runsOnSqlite } from '#kernel/testing'
import { objectsMigration } from '../../storage/migrations/sqlite/0001-objects.ts'
import { copiesMigration } from '../../storage/migrations/sqlite/0002-copies.ts'
import { removalsMigration } from '../../storage/migrations/sqlite/0003-removals.ts'
import { listReadsMigration } from '../../storage/migrations/sqlite/0004-list-reads.ts'
import { refusalsMigration } from '../../storage/migrations/sqlite/0007-refusals.ts'
import { freedContents } from '../resumption/freed-copies-store.ts'
import type { BatchState } from '../states/tables/batch-transitions-policy.ts'
import type { CopyState } from '../states/tables/copy-transitions-policy.ts'
import type { DataSetState } from '../states/tables/data-set-transitions-policy.ts'

interface Stuck {
  readonly copy: CopyState
  readonly batch: BatchState
  readonly dataSet: DataSetState
  readonly content?: 'deleting'
}

/** States of a copy before and after the migration. */
const table: readonly (readonly [Stuck, { readonly state: CopyState; readonly batchId: number | null; readonly batch: BatchState }])[] = [
  [
    { copy: 'attention', batch: 'closed', dataSet: 'ready' },
    { state: 'planned', batchId: null, batch: 'closed' },
  ],
  [
    { copy: 'attention', batch: 'closed', dataSet: 'lost' },
    { state: 'lost', batchId: null, batch: 'closed' },
  ],
  [
    { copy: 'attention', batch: 'closed', dataSet: 'ready', content: 'deleting' },
    { state: 'removed', batchId: null, batch: 'closed' },
  ],
  [
    { copy: 'batched', batch: 'ready', dataSet: 'write_blocked' },
    { state: 'lost', batchId: null, batch: 'closed' },
  ],
  [
    { copy: 'attention', batch: 'ready', dataSet: 'ready' },
    { state: 'attention', batchId: 1, batch: 'ready' },
  ],
  [
    { copy: 'unconfirmed', batch: 'uncertain', dataSet: 'lost' },
    { state: 'unconfirmed', batchId: 1, batch: 'uncertain' },
  ],
  [
    { copy: 'committed', batch: 'confirmed', dataSet: 'ready' },
    { state: 'committed', batchId: 1, batch: 'confirmed' },
  ],
]

test.runIf(runsOnSqlite()).each(table)('I-29: the migration frees copies of closed batches: %j', async (stuck, freed) => {
  const migrations = [objectsMigration, copiesMigration, removalsMigration, listReadsMigration]
  await using database = await openTestDatabase([{ name: 'storage', migrations }])
  await database.write(async (tx) => {
    await runSql(
      tx,
      `insert into contents (id, bucket_id, identity, size, state, ref_count, target_copies, created_at, updated_at) values (1, 1, 'x', 1, ?, 1, 1, 0, 0)`,
      stuck.content ?? 'live',
    )
    await runSql(tx, 'insert into pieces (id, content_id, part_no, offset_bytes, length) values (1, 1, 0, 0, 1)')
    await runSql(
      tx,
      `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, state,
         create_started_at, created_at, updated_at) values (1, 1, 0, 1, '1', '0x1', '0x2', 'http://p', '1', ?, 7, 0, 0)`,
      stuck.dataSet,
    )
    await runSql(
      tx,
      `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, created_at, updated_at) values (1, 1, 'store', ?, '1', '0x', 0, 0)`,
      stuck.batch,
    )
    await runSql(
      tx,
      `insert into copies (id, piece_id, content_id, data_set_id, slot, state, method, batch_id, chain_piece_id, created_at, updated_at)
       values (1, 1, 1, 1, 0, ?, 'store', 1, '0', 0, 0)`,
      stuck.copy,
    )
    for (const statement of refusalsMigration.statements) await runSql(tx, statement)
  })
  const copy = await getRow(
    database.read,
    'select k.state, k.batch_id as "batchId", b.state as batch from copies k join commit_batches b on b.id = 1',
  )
  expect(copy).toEqual(freed)
  const isFreed = freed.batchId === null && stuck.content === undefined
  expect(await freedContents(database.read, { after: 0, limit: 10 })).toEqual(isFreed ? [1] : [])
  expect(await getRow(database.read, 'select create_offered_at as at, refusals from data_sets')).toEqual({ at: 7, refusals: 0 })
})
