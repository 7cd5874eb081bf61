import { defineMigration } from '#kernel'

/**
 * Whether the piece CID was computed in one read with a SHA-256 that is the content's. Those recorded until now were not: where the cached
 * bytes were damaged then, the copies hold the damaged bytes.
 */
export const provenPiecesMigration = defineMigration('0008-proven-pieces', [
  'alter table pieces add column is_proven integer not null default 0',
])
