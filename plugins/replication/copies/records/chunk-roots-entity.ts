import { defineEntity, p } from '@mikro-orm/core'
import { pieceEntity } from './piece-entity.ts'

/** Roots to verify ranges of a piece from a provider: 32 bytes per MiB. Pieces of one chunk have none. */
export const chunkRootsEntity = defineEntity({
  name: 'ChunkRoots',
  tableName: 'piece_chunk_roots',
  properties: {
    piece_id: () => p.manyToOne(pieceEntity).fieldName('piece_id').mapToPk().primary().updateRule('no action').deleteRule('cascade'),
    chunk_roots: p.blob().$type<Uint8Array>(),
  },
})
