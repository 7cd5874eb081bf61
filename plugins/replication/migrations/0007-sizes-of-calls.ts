import { createTable, defineMigration } from '#kernel'

/** How many pieces providers accept in a call. Without metadata lists, the number of pieces is no longer in the signed bytes of an addition. */
export const sizesOfCallsMigration = defineMigration('0007-sizes-of-calls', [
  createTable({
    name: 'provider_call_limits',
    columns: ({ text }) => ({
      provider_id: `${text} not null`,
      call: `${text} not null`,
      pieces: 'integer not null',
      refused_at: 'bigint',
    }),
    constraints: ['primary key (provider_id, call)'],
  }),
  'alter table commit_batches add column piece_count integer not null default 0',
])
