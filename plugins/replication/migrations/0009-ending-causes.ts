import { defineMigration } from '#kernel'

/** Before it, only the deletion of a bucket ended data sets. */
export const endingCausesMigration = defineMigration('0009-ending-causes', [
  "alter table data_set_endings add column cause text not null default 'bucket_deleted' check (cause in ('bucket_deleted', 'replaced', 'unused'))",
])
