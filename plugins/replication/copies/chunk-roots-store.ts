import type { Reader, Tx } from '#kernel'
import { CHUNK_RAW_BYTES } from '../pieces/piece-size.ts'

export interface StoredPiece {
  readonly pieceId: number
  readonly pieceCid: string | null
  /** SHA-256 of the content; null when not recorded. */
  readonly sha256: string | null
  /** Null for a piece of one chunk, and for a piece CID computed before chunk roots were recorded. */
  readonly chunkRoots: Uint8Array | null
}

/** The piece of a content, with the digests that prove its bytes. */
export async function findStoredPiece(reader: Reader, contentId: number): Promise<StoredPiece | undefined> {
  return reader.get<StoredPiece & Record<string, never>>(
    `select p.id as pieceId, p.piece_cid as pieceCid, c.sha256 as sha256, r.chunk_roots as chunkRoots from pieces p
     join contents c on c.id = p.content_id left join piece_chunk_roots r on r.piece_id = p.id where p.content_id = ? and p.part_no = 0`,
    contentId,
  )
}

/** Records the chunk roots of the piece. A piece of one chunk is proved by its piece CID and gets none. */
export async function keepChunkRoots(
  tx: Tx,
  piece: { readonly pieceId: number; readonly size: number },
  chunkRoots: Uint8Array,
): Promise<void> {
  if (piece.size <= CHUNK_RAW_BYTES) return
  // The content may have been deleted while the roots were computed.
  tx.run(
    `insert into piece_chunk_roots (piece_id, chunk_roots) select id, ? from pieces where id = ?
     on conflict (piece_id) do update set chunk_roots = excluded.chunk_roots`,
    chunkRoots,
    piece.pieceId,
  )
}
