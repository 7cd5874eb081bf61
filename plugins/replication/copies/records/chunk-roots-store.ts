import { sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import { chunkRawBytes } from '../../pieces/piece-size.ts'
import { statement } from '../../tables.ts'

export interface StoredPiece {
  readonly pieceId: number
  readonly pieceCid: string | null
  /** SHA-256 of the content; null when not recorded. */
  readonly sha256: string | null
  /** Null for a piece of one chunk, and for a piece CID computed before chunk roots were recorded. */
  readonly chunkRoots: Uint8Array | null
}

const findPiece = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db
    .selectFrom('pieces as p')
    .innerJoin('contents as c', 'c.id', 'p.content_id')
    .leftJoin('piece_chunk_roots as r', 'r.piece_id', 'p.id')
    .select(['p.id as pieceId', 'p.piece_cid as pieceCid', 'c.sha256', 'r.chunk_roots as chunkRoots'])
    .where('p.content_id', '=', contentId)
    .where('p.part_no', '=', 0),
)

const keepRoots = statement((db, { pieceId, chunkRoots }: Params<{ pieceId: number; chunkRoots: Uint8Array }>) =>
  db
    .insertInto('piece_chunk_roots')
    .columns(['piece_id', 'chunk_roots'])
    .expression(({ selectFrom }) =>
      selectFrom('pieces')
        .select(['id', sql<Uint8Array>`${chunkRoots}`.as('chunk_roots')])
        .where('id', '=', pieceId),
    )
    .onConflict((conflict) => conflict.column('piece_id').doUpdateSet({ chunk_roots: ({ ref }) => ref('excluded.chunk_roots') })),
)

/** The piece of a content, with the digests that prove its bytes. */
export async function findStoredPiece(reader: Reader, contentId: number): Promise<StoredPiece | undefined> {
  return reader.get(findPiece, { contentId })
}

/** Records the chunk roots of the piece. A piece of one chunk is proved by its piece CID and gets none. */
export async function keepChunkRoots(
  tx: Tx,
  { pieceId, size }: { readonly pieceId: number; readonly size: number },
  chunkRoots: Uint8Array,
): Promise<void> {
  // The content may have been deleted while the roots were computed: then nothing is inserted.
  if (size > chunkRawBytes) await tx.run(keepRoots, { pieceId, chunkRoots })
}
