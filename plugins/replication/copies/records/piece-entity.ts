import { defineEntity, p } from '@mikro-orm/core'
import { contentEntity } from '../../../storage/entities.ts'

/** `is_proven`: the piece CID was computed in the same read as a matching SHA-256. */
export const pieceEntity = defineEntity({
  name: 'Piece',
  tableName: 'pieces',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    content_id: () => p.manyToOne(contentEntity).fieldName('content_id').mapToPk(),
    part_no: p.integer(),
    offset_bytes: p.bigint('number'),
    length: p.bigint('number'),
    piece_cid: p.text().nullable(),
    is_proven: p.integer().default(0),
  },
})
