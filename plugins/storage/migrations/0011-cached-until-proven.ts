import { defineMigration } from '#kernel'

/** Cached bytes that a piece CID is to be proven with are kept until that is done, however many copies there are. */
export const cachedUntilProvenMigration = defineMigration('0011-cached-until-proven', [
  'alter table cache_entries add column awaits_proof integer not null default 0',
])
