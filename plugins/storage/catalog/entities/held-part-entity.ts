import { defineEntity, p } from '@mikro-orm/core'
import { contentEntity } from './content-entity.ts'

/**
 * A reference of an unfinished upload, the holder, to a content that will be a part of its object. With an epoch the upload ends with the
 * process start that has this number; without one it continues after a restart.
 */
export const heldPartEntity = defineEntity({
  name: 'HeldPart',
  tableName: 'held_parts',
  properties: {
    holder: p.text().primary(),
    part_no: p.integer().primary(),
    content_id: () => p.manyToOne(contentEntity).fieldName('content_id').mapToPk(),
    offset_bytes: p.bigint('number'),
    length: p.bigint('number'),
    epoch: p.bigint('number').nullable(),
  },
})
