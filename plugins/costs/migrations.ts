import { createTable, defineMigration } from '#kernel'

/** The sum of decimal texts of any length, which SQLite cannot add: the last nine digits and those before them are added apart. */
const sumOnSqlite = (where: string) => {
  const high = "sum(cast(case when length(amount) > 9 then substr(amount, 1, length(amount) - 9) else '0' end as integer))"
  const low = 'sum(cast(substr(amount, -9) as integer))'
  return `select high + low / 1000000000 as high, low % 1000000000 as low, wallet, rail_id, kind from (
    select ${high} as high, ${low} as low, wallet, rail_id, kind from cost_payments where ${where})`
}
const textOnSqlite = "case when high > 0 then high || printf('%09d', low) else cast(low as text) end"

/** What the chain said about the account, its rails and its payments. `wallet` names the chain and the account; amounts are decimal text. */
export const costMigrations = [
  defineMigration('0001-costs', [
    createTable({
      name: 'cost_reads',
      columns: ({ text }) => ({
        wallet: `${text} not null primary key`,
        read_at: 'bigint',
        epoch: text,
        funds: text,
        lockup_current: text,
        lockup_rate: text,
        settled_at: text,
        prices: text,
        failed_at: 'bigint',
        failure: text,
        followed_epoch: text,
        followed_funds: text,
      }),
    }),
    createTable({
      name: 'cost_rails',
      columns: ({ text }) => ({
        wallet: `${text} not null`,
        rail_id: `${text} not null`,
        kind: `${text} not null check (kind in ('storage', 'cdn', 'other'))`,
        chain_data_set_id: text,
        data_set_id: 'bigint',
        bucket_id: 'bigint',
        bucket: text,
        is_deleted: 'integer not null',
        provider_id: text,
        rate: `${text} not null`,
        reserve: `${text} not null`,
        advance: `${text} not null`,
        pending: `${text} not null`,
        leaves: `${text} not null`,
        end_epoch: `${text} not null`,
        is_open: 'integer not null',
      }),
      constraints: ['primary key (wallet, rail_id)'],
    }),
    'create index cost_rails_of_bucket on cost_rails (bucket_id) where bucket_id is not null',
    createTable({
      name: 'cost_payments',
      columns: ({ text }) => ({
        wallet: `${text} not null`,
        month: `${text} not null`,
        rail_id: `${text} not null`,
        kind: `${text} not null check (kind in ('one_time', 'storage', 'unknown'))`,
        payments: 'bigint not null',
        amount: `${text} not null`,
      }),
      constraints: ['primary key (wallet, month, rail_id, kind)'],
    }),
    createTable({
      name: 'cost_months',
      columns: ({ text }) => ({
        wallet: `${text} not null`,
        month: `${text} not null`,
        from_epoch: `${text} not null`,
        to_epoch: `${text} not null`,
        starts_whole: 'integer not null',
        has_gap: 'integer not null',
      }),
      constraints: ['primary key (wallet, month)'],
    }),
  ]),
  defineMigration('0002-payment-sums', [
    createTable({
      name: 'cost_sums',
      columns: ({ text }) => ({
        wallet: `${text} not null`,
        rail_id: `${text} not null`,
        kind: `${text} not null check (kind in ('one_time', 'storage', 'unknown'))`,
        amount: `${text} not null`,
      }),
      constraints: ['primary key (wallet, rail_id, kind)'],
    }),
    {
      sqlite: `insert into cost_sums (wallet, rail_id, kind, amount)
        select wallet, rail_id, kind, ${textOnSqlite} from (${sumOnSqlite('true group by wallet, rail_id, kind')})`,
      postgres: `insert into cost_sums (wallet, rail_id, kind, amount)
        select wallet, rail_id, kind, cast(sum(cast(amount as numeric)) as text) from cost_payments group by wallet, rail_id, kind`,
    },
    {
      sqlite: 'alter table cost_reads add column followed_storage text',
      postgres: 'alter table cost_reads add column followed_storage text collate "C"',
    },
    {
      sqlite: `update cost_reads set followed_storage = (select ${textOnSqlite}
        from (${sumOnSqlite("kind = 'storage' and wallet = cost_reads.wallet group by wallet")}))`,
      postgres: `update cost_reads set followed_storage = (select cast(sum(cast(amount as numeric)) as text)
        from cost_payments where kind = 'storage' and wallet = cost_reads.wallet)`,
    },
  ]),
]
