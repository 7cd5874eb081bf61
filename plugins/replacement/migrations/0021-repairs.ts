import { createTable, defineMigration } from '#kernel'

/** What the automatic repair has seen and decided. */
export const repairsMigration = defineMigration('0021-repairs', [
  createTable({
    name: 'repair_signals',
    columns: ({ key, text }) => ({
      data_set_id: key,
      signal: `${text} not null`,
      since: 'bigint not null',
      seen_at: 'bigint not null',
      next_at: 'bigint not null default 0',
      last_reason: text,
      lost_contents: 'bigint not null default 0',
      losses_at: 'bigint not null default 0',
    }),
  }),
  createTable({
    name: 'repair_decisions',
    columns: ({ id, text }) => ({
      id,
      at: 'bigint not null',
      action: `${text} not null check (action in ('replaced', 'refused', 'left_alone', 'loss'))`,
      signal: `${text} not null`,
      reason: `${text} not null`,
      message: `${text} not null`,
      provider_id: `${text} not null`,
      bucket_id: 'bigint not null',
      bucket_name: `${text} not null`,
      data_set_id: 'bigint not null',
      slot: 'integer not null',
      since: 'bigint not null',
      replacement_id: 'bigint',
      fee: text,
      lost_contents: 'bigint',
      lost_versions: 'bigint',
      lost_bytes: text,
    }),
  }),
  'create index repair_decisions_at on repair_decisions (at)',
])
