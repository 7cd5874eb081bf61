import { defineMigration } from '#kernel'

/** Tags of object versions: a JSON object; null means none. */
export const objectTagsMigration = defineMigration('0022-object-tags', [
  {
    sqlite: 'alter table object_versions add column tags text',
    postgres: 'alter table object_versions add column tags text collate "C"',
  },
])
