import { defineMigration } from '#kernel'

/** Keepers of copies that were ever attached, and whether one missed changes of contents because a start was without it. */
export const knownKeepersMigration = defineMigration('0016-known-keepers', [
  'create table copy_keepers (name text primary key, was_absent integer not null default 0)',
  `insert into copy_keepers (name) select 'replication' where exists (select 1 from pieces)`,
])
