import { defineMigration } from '#kernel'

/**
 * `is_proven`: the piece CID was computed in the same read as a matching SHA-256. Older piece CIDs were not, so if the cached bytes were
 * damaged, their copies have the damaged bytes.
 */
export const provenPiecesMigration = defineMigration('0008-proven-pieces', [
  'alter table pieces add column is_proven integer not null default 0',
])
