import { createTable, defineMigration } from '#kernel'

const small = 'integer not null default 0'

/**
 * Data sets that must end, with the paid attempt that ends them. Data sets can be deleted now, with the rows that refer to them. The check of
 * the foreign keys of batches and removals then reads these tables once, which is rare.
 */
export const endingsMigration = defineMigration('0004-endings', [
  createTable({
    name: 'data_set_endings',
    columns: ({ key, text }) => ({
      data_set_id: `${key} references data_sets (id)`,
      state: `${text} not null check (state in ('pending', 'submitting', 'submitted', 'uncertain', 'ended', 'closed'))`,
      path: `${text} not null check (path in ('relay', 'payer'))`,
      extra_data: text,
      started_at: 'bigint',
      sender_nonce: 'bigint',
      attempts: small,
      checks: small,
      end_epoch: text,
      last_error: text,
      requested_at: 'bigint not null',
      retiring_at: 'bigint',
      updated_at: 'bigint not null',
    }),
  }),
  // Only the ended rows: SQLite would prefer an index of all rows to those of open batches and removals, which each round reads.
  "create index commit_batches_ended on commit_batches (data_set_id) where state not in ('pulling', 'ready', 'submitting', 'submitted', 'uncertain')",
  "create index removals_ended on removals (data_set_id) where state not in ('pending', 'submitting', 'submitted', 'uncertain', 'scheduled')",
  'create index removals_of_attempt on removals (attempt_id) where attempt_id is not null',
  'create index removal_attempts_of_set on removal_attempts (data_set_id)',
  'create index replica_slots_current on replica_slots (current_data_set_id)',
])
