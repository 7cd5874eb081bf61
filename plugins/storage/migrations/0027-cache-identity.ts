import { defineMigration } from '#kernel'

/** The identity of the folder that a start used for its files. Null: a start before this migration. */
export const cacheIdentityMigration = defineMigration('0027-cache-identity', [
  {
    sqlite: 'alter table cache_epochs add column cache_id text',
    postgres: 'alter table cache_epochs add column cache_id text collate "C"',
  },
])
