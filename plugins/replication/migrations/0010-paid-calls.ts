import { createTable, defineMigration } from '#kernel'

/** The calls of data sets whose records were deleted, and indexes that count those of the others by time. */
export const paidCallsMigration = defineMigration('0010-paid-calls', [
  createTable({
    name: 'past_calls',
    columns: ({ text }) => ({
      data_set_id: 'bigint not null',
      day: 'bigint not null',
      price_list: `${text} not null`,
      creations: 'bigint not null',
      additions: 'bigint not null',
      pieces: 'bigint not null',
      removals: 'bigint not null',
      terminations: 'bigint not null',
    }),
    constraints: ['primary key (data_set_id, day, price_list)'],
  }),
  `create index commit_batches_paid on commit_batches (submit_started_at, data_set_id, state, price_list, piece_count)
   where submit_started_at is not null`,
  'create index removal_attempts_paid on removal_attempts (started_at, data_set_id, price_list)',
])
