import { defineMigration } from '#kernel'

/** `awaits_proof`: the cached bytes are needed to check a piece CID and are kept until then, even with enough copies. */
export const cachedUntilProvenMigration = defineMigration('0011-cached-until-proven', [
  'alter table cache_entries add column awaits_proof integer not null default 0',
])
