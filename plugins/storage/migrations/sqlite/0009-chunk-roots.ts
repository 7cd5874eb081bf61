import { defineMigration } from '#kernel'

/** Roots to verify ranges of a piece from a provider: 32 bytes per MiB. Pieces of one chunk have none. */
export const chunkRootsMigration = defineMigration('0009-chunk-roots', [
  'create table piece_chunk_roots (piece_id integer primary key, chunk_roots blob not null)',
  // Piece ids may be reused, so the roots must be deleted with the piece.
  `create trigger piece_chunk_roots_went after delete on pieces begin
    delete from piece_chunk_roots where piece_id = old.id; end`,
])
