import { expect, test } from 'vitest'
import { allRows, describeOnEngines, insertRow, openTestDatabase, runSql, runsOnSqlite } from '#kernel/testing'
import { storageMigrations } from '../../storage/testing/rows.ts'
import { contentSchemas } from '../testing/schemas.ts'
import { bothEnginesMigration } from './0001-both-engines.ts'
import { storageConfirmationsMigration } from './0002-storage-confirmations.ts'

const storage = { name: 'storage', migrations: storageMigrations }
const before = [storage, { name: 'replication', migrations: [bothEnginesMigration] }]
const after = [storage, { name: 'replication', migrations: [bothEnginesMigration, storageConfirmationsMigration] }]

/** `ends`: values of tx_hash, attention_at and reason_code. */
const batch = (id: number, state: string, ends: string) =>
  `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, created_at, updated_at, tx_hash, attention_at, reason_code)
   values (${id}, 5, 'store', '${state}', '${id}', '0x', 1, 2, ${ends})`

const rows = [
  `insert into buckets (id, name, default_copies, minimum_durable_copies, created_at, updated_at) values (3, 'photos', 2, 1, 1, 2)`,
  `insert into data_sets (id, bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, chain_id, state, created_at, updated_at)
     values (5, 3, 0, 1, '1', '0x', '0x', 'http://p', '8', '9', 'ready', 1, 2)`,
  batch(1, 'uncertain', "null, 4, 'attempt_only_ambiguous'"),
  batch(2, 'submitted', "'0xab', 4, 'confirmation_timeout'"),
  batch(3, 'ready', "null, 4, 'invalid_submission'"),
  batch(4, 'uncertain', "null, 4, 'withdrawn'"),
  batch(5, 'ready', "null, null, 'funding'"),
  "insert into removal_attempts (id, data_set_id, extra_data, started_at, updated_at) values (4, 5, '0x', 3, 4)",
  `insert into removals (id, data_set_id, chain_piece_id, copy_id, content_id, state, attempt_id, created_at, updated_at)
     values (2, 5, '1', 76, 75, 'submitted', 4, 1, 2), (60, 5, '2', 77, 75, 'pending', null, 1, 2)`,
  'delete from removals where id = 60',
]

test.runIf(runsOnSqlite())('reasons of attention become codes of the Admin API, and removals keep their rows and ids', async () => {
  await using old = await openTestDatabase(before)
  await old.write(async (tx) => {
    for (const row of rows) await runSql(tx, row)
  })
  const had = await allRows<object>(old.read, 'select * from removals')
  await using database = await openTestDatabase(after, { dir: old.dir })
  expect(await allRows(database.read, 'select id, attention_code as code, reason_code as reason from commit_batches order by id')).toEqual([
    { id: 1, code: 'submission_unknown', reason: null },
    { id: 2, code: 'transaction_pending_too_long', reason: null },
    { id: 3, code: 'invalid_submission', reason: null },
    { id: 4, code: 'submission_unknown', reason: 'withdrawn' },
    { id: 5, code: null, reason: 'funding' },
  ])
  expect(await allRows(database.read, 'select * from removals')).toEqual(had.map((row) => ({ ...row, surplus_batch_id: null })))
  expect(await allRows(database.read, 'pragma foreign_key_check')).toEqual([])
  const add = (piece: string) =>
    `insert into removals (data_set_id, chain_piece_id, copy_id, content_id, state, created_at, updated_at) values (5, '${piece}', 1, 1, 'pending', 0, 0)`
  expect(await database.write((tx) => insertRow(tx, add('9')))).toBe(61)
})

await describeOnEngines('removals', ({ open }) => {
  test('of surplus pieces have a batch and no copy, and one open removal per piece', async () => {
    await using database = await open(contentSchemas)
    await database.write(async (tx) => {
      for (const row of rows.slice(0, 3)) await runSql(tx, row)
    })
    const surplus = `insert into removals (data_set_id, chain_piece_id, content_id, state, surplus_batch_id, created_at, updated_at)
      values (5, '3', 1, 'pending', 1, 0, 0)`
    await database.write((tx) => runSql(tx, surplus))
    await expect(database.write((tx) => runSql(tx, surplus))).rejects.toThrow()
    expect(await allRows(database.read, 'select copy_id as copy, surplus_batch_id as batch from removals')).toEqual([
      { copy: null, batch: 1 },
    ])
  })
})
