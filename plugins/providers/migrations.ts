import { createTable, defineMigration } from '#kernel'

const addTexts = (table: string, columns: readonly string[]) =>
  columns.map((column) => ({
    sqlite: `alter table ${table} add column ${column} text`,
    postgres: `alter table ${table} add column ${column} text collate "C"`,
  }))

/** What was last known about every registered provider, and what our calls to it showed. */
export const providerMigrations = [
  defineMigration('0001-inventory', [
    createTable({
      name: 'provider_inventory',
      columns: ({ text }) => ({
        provider_id: `${text} not null primary key`,
        name: `${text} not null`,
        address: `${text} not null`,
        payee: `${text} not null`,
        is_active: 'integer not null',
        is_approved: 'integer not null',
        is_endorsed: 'integer not null',
        service_url: text,
        piece_bytes_max: 'bigint',
        location: text,
        problem: text,
        pinged_at: 'bigint',
        ping_ms: 'bigint',
        ping_failure: text,
      }),
    }),
    createTable({
      name: 'provider_reads',
      columns: ({ text }) => ({
        chain_id: 'bigint not null primary key',
        read_at: 'bigint',
        failed_at: 'bigint',
        failure: text,
      }),
    }),
  ]),
  defineMigration('0002-measures', [
    ...addTexts('provider_inventory', ['description', 'capabilities']),
    'alter table provider_inventory add column has_pdp integer',
    createTable({
      name: 'provider_measures',
      columns: ({ text }) => ({
        provider_id: `${text} not null`,
        kind: `${text} not null`,
        calls: 'bigint not null',
        failed: 'bigint not null',
        since: 'bigint not null',
        last_at: 'bigint not null',
        weighed_at: 'bigint not null',
        weight: 'bigint not null',
        ok_weight: 'bigint not null',
        bytes: 'bigint not null',
        ms: 'bigint not null',
        failed_at: 'bigint',
        failure_call: text,
        failure_reason: text,
      }),
      constraints: ['primary key (provider_id, kind)'],
      isWithoutRowid: true,
    }),
  ]),
]
