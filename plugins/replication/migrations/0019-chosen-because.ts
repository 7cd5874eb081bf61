import { defineMigration } from '#kernel'

/** Null for data sets of earlier versions, and for those whose provider an operator chose. */
export const chosenBecauseMigration = defineMigration(
  '0019-chosen-because',
  ['chosen_reason', 'chosen_detail'].map((column) => ({
    sqlite: `alter table data_sets add column ${column} text`,
    postgres: `alter table data_sets add column ${column} text collate "C"`,
  })),
)
