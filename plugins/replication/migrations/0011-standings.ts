import { createTable, defineMigration } from '#kernel'

const small = 'integer not null default 0'

/** Which copies do not count as durable, beside their states: rows exist only for data sets and copies in doubt. */
export const standingsMigration = defineMigration('0011-standings', [
  createTable({
    name: 'data_set_standings',
    columns: ({ key, text }) => ({
      data_set_id: `${key} references data_sets (id)`,
      reason: `${text} check (reason in ('proving_missed', 'service_ended', 'not_on_chain'))`,
      since: 'bigint not null',
      counted_to: 'bigint',
    }),
  }),
  createTable({
    name: 'copy_doubts',
    columns: ({ key, text }) => ({
      copy_id: `${key} references copies (id) on delete cascade`,
      result: `${text} not null check (result in ('missing', 'wrong_bytes'))`,
      failures: small,
      checks: small,
      first_failed_at: 'bigint',
      next_check_at: 'bigint not null',
      denied_at: 'bigint',
      chain_state: text,
    }),
  }),
  'create index copy_doubts_due on copy_doubts (next_check_at)',
])
