import { createTable, defineMigration, onlyOnSqlite, rebuildTable } from '#kernel'

const types = "'fund', 'withdraw', 'approve', 'terminate'"

/** Columns that the two engines share; `types` are the allowed types of that migration. */
const operationColumns =
  (types: string): Parameters<typeof createTable>[0]['columns'] =>
  ({ reusedId, text }) => ({
    id: reusedId,
    type: `${text} not null check (type in (${types}))`,
    client_request_id: `${text} not null`,
    amount: `${text} not null`,
    status: `${text} not null check (status in ('pending', 'submitted', 'confirmed', 'failed', 'unknown'))`,
    chain_nonce: 'bigint',
    raw_tx: text,
    tx_hash: text,
    last_error: text,
    created_at: 'bigint not null',
    updated_at: 'bigint not null',
  })

/** Wallet transactions. The signed bytes are stored before they are broadcast (I-04). */
export const walletMigrations = [
  onlyOnSqlite(
    defineMigration('0001-operations', [
      `create table wallet_operations (
      id integer primary key,
      type text not null check (type in ('fund', 'withdraw', 'approve')),
      client_request_id text not null,
      amount text not null,
      status text not null check (status in ('pending', 'submitted', 'confirmed', 'failed', 'unknown')),
      chain_nonce integer,
      raw_tx text,
      tx_hash text,
      last_error text,
      created_at bigint not null,
      updated_at bigint not null
    )`,
      'create unique index wallet_operations_request on wallet_operations (type, client_request_id)',
      "create index wallet_operations_open on wallet_operations (status) where status in ('pending', 'submitted')",
    ]),
  ),
  defineMigration('0002-postgres', [
    {
      postgres: createTable({
        name: 'wallet_operations',
        columns: operationColumns("'fund', 'withdraw', 'approve'"),
      }).postgres,
    },
    { postgres: 'create unique index wallet_operations_request on wallet_operations (type, client_request_id)' },
    { postgres: "create index wallet_operations_open on wallet_operations (status) where status in ('pending', 'submitted')" },
  ]),
  defineMigration('0003-terminations', [
    // Only the allowed types change.
    ...rebuildTable({
      name: 'wallet_operations',
      columns: operationColumns(types),
    }).filter((text) => typeof text !== 'string' && 'sqlite' in text),
    { sqlite: 'create unique index wallet_operations_request on wallet_operations (type, client_request_id)' },
    { sqlite: "create index wallet_operations_open on wallet_operations (status) where status in ('pending', 'submitted')" },
    { postgres: 'alter table wallet_operations drop constraint wallet_operations_type_check' },
    { postgres: `alter table wallet_operations add constraint wallet_operations_type_check check (type in (${types}))` },
  ]),
  // The newest bytes of an operation stay in its row; either transaction may land.
  defineMigration('0004-replaced', [
    createTable({
      name: 'wallet_replaced',
      columns: ({ id, text }) => ({
        id,
        operation_id: 'bigint not null references wallet_operations (id)',
        tx_hash: `${text} not null`,
        raw_tx: `${text} not null`,
        replaced_at: 'bigint not null',
      }),
    }),
    'create unique index wallet_replaced_hash on wallet_replaced (operation_id, tx_hash)',
  ]),
  // `unknown` meant that another transaction used the nonce. Without signed bytes nothing was sent, and the row does not say what to sign.
  defineMigration('0005-turn', [
    {
      sqlite: 'alter table wallet_operations add column target text',
      postgres: 'alter table wallet_operations add column target text collate "C"',
    },
    {
      sqlite: 'alter table wallet_operations add column wallet text',
      postgres: 'alter table wallet_operations add column wallet text collate "C"',
    },
    "update wallet_operations set status = 'failed' where status = 'unknown'",
    `update wallet_operations set status = 'failed', last_error = 'svc stopped before the transaction was signed'
     where status = 'pending' and raw_tx is null`,
    'drop index wallet_operations_open',
    "create index wallet_operations_open on wallet_operations (status) where status in ('pending', 'submitted', 'unknown')",
    "create unique index wallet_operations_turn on wallet_operations (wallet) where status in ('pending', 'submitted', 'unknown')",
  ]),
]
