import { defineMigration } from '#kernel'

/** Indexes for the spend limits: batches that landed after the account was read, and past calls by day. */
export const recentLandingsMigration = defineMigration('0023-recent-landings', [
  'create index commit_batches_landed on commit_batches (landed_epoch) where landed_epoch is not null',
  'create index past_calls_of_day on past_calls (day)',
])
