import { createTable, defineMigration } from '#kernel'

/** What was last known about every registered provider. */
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
]
