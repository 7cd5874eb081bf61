import { defineMigration, rebuildTable } from '#kernel'

const hasEnded = "in ('removed', 'data_set_ended')"
const onSqlite = (sqlite: string) => ({ sqlite })

/** Released items of batches, the reason of an attention apart from that of a wait, and removals of surplus pieces. */
export const storageConfirmationsMigration = defineMigration('0002-storage-confirmations', [
  'alter table commit_items add column released_at bigint',
  {
    sqlite: 'alter table commit_batches add column attention_code text',
    postgres: 'alter table commit_batches add column attention_code text collate "C"',
  },
  `update commit_batches set attention_code = case when reason_code in ('invalid_submission', 'data_set_refused') then reason_code
     when tx_hash is null then 'submission_unknown' else 'transaction_pending_too_long' end where attention_at is not null`,
  "update commit_batches set reason_code = null where attention_at is not null and reason_code in ('invalid_submission', 'data_set_refused', 'attempt_only_ambiguous', 'confirmation_timeout')",
  "create index copies_attention on copies (id) where state = 'attention'",

  'alter table removals add column surplus_batch_id bigint references commit_batches (id)',
  { postgres: 'alter table removals alter column copy_id drop not null' },
  ...rebuildTable({
    name: 'removals',
    columns: ({ id, text }) => ({
      id,
      data_set_id: 'bigint not null references data_sets (id)',
      chain_piece_id: `${text} not null`,
      copy_id: 'bigint',
      content_id: 'bigint not null',
      state: `${text} not null check (state in ('pending', 'submitting', 'submitted', 'uncertain', 'scheduled', 'removed', 'data_set_ended'))`,
      attempt_id: 'bigint references removal_attempts (id)',
      created_at: 'bigint not null',
      updated_at: 'bigint not null',
      piece_cid: text,
      withheld_task_id: 'bigint',
      surplus_batch_id: 'bigint references commit_batches (id)',
    }),
    constraints: [`check ((attempt_id is null) = (state = 'pending') or state in ('scheduled', 'removed', 'data_set_ended'))`],
  }).filter((text) => typeof text === 'string' || !('postgres' in text)),
  onSqlite(`create unique index removals_piece on removals (data_set_id, chain_piece_id) where state not ${hasEnded}`),
  onSqlite(`create index removals_open on removals (data_set_id, state, id) where state not ${hasEnded}`),
  onSqlite(`create index removals_of_copy on removals (copy_id) where state not ${hasEnded}`),
  onSqlite('create index removals_withheld on removals (withheld_task_id, data_set_id, id) where withheld_task_id is not null'),
  'create index removals_surplus on removals (surplus_batch_id) where surplus_batch_id is not null',
  `create index removals_surplus_of_content on removals (content_id) where surplus_batch_id is not null and state not ${hasEnded}`,
])
