import { defineMigration } from '#kernel'

/** Names of users, when they were disabled, and when they last signed a request. */
export const userFactsMigration = defineMigration('0008-user-facts', [
  { sqlite: 'alter table s3_users add column name text', postgres: 'alter table s3_users add column name text collate "C"' },
  'alter table s3_users add column disabled_at bigint',
  'alter table s3_users add column used_at bigint',
])
