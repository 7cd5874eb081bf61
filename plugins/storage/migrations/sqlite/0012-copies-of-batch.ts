import { defineMigration } from '#kernel'

/** Indexes for lookups by batch and by copy, independent of the number of objects; and removals that wait for an operator. */
export const copiesOfBatchMigration = defineMigration('0012-copies-of-batch', [
  'create index copies_of_batch on copies (batch_id) where batch_id is not null',
  "create index removals_of_copy on removals (copy_id) where state not in ('removed', 'moot')",
  // Id of the task that failed because the chain has another piece under the recorded id.
  'alter table removals add column withheld_task_id integer',
  'create index removals_withheld on removals (withheld_task_id, data_set_id, id) where withheld_task_id is not null',
])
