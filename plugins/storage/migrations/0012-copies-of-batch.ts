import { defineMigration } from '#kernel'

/** What is looked up by batch and by copy: all of it happens in the one writer, whatever the number of stored objects. */
export const copiesOfBatchMigration = defineMigration('0012-copies-of-batch', [
  'create index copies_of_batch on copies (batch_id) where batch_id is not null',
  "create index removals_of_copy on removals (copy_id) where state not in ('removed', 'moot')",
])
