import { defineMigration } from '#kernel'

const cause = "not null default 'bucket_deleted' check (cause in ('bucket_deleted', 'replaced', 'unused'))"

/** Before it, only the deletion of a bucket ended data sets. */
export const endingCausesMigration = defineMigration('0009-ending-causes', [
  {
    sqlite: `alter table data_set_endings add column cause text ${cause}`,
    postgres: `alter table data_set_endings add column cause text collate "C" ${cause}`,
  },
])
