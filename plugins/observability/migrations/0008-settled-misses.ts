import { defineMigration } from '#kernel'

const countProven = `(select count(*) from proving_periods p where p.data_set_id = data_set_observations.data_set_id and p.is_proven = 1
  and p.period > (select max(m.period) from proving_periods m where m.data_set_id = data_set_observations.data_set_id and m.is_proven = 0))`

/** Periods that were proven since the last one that was not. */
export const settledMissesMigration = defineMigration('0008-settled-misses', [
  'alter table data_set_observations add column proven_since_missed integer not null default 0',
  `update data_set_observations set proven_since_missed = ${countProven}`,
])
