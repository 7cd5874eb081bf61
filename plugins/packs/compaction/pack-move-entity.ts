import { defineEntity, p } from '@mikro-orm/core'

/** A member that moves to the pack `pack_id`, which holds its bytes already, when that has all its copies. */
export const packMoveEntity = defineEntity({
  name: 'PackMove',
  tableName: 'pack_moves',
  properties: {
    content_id: p.bigint('number').primary().autoincrement(false),
    pack_id: p.bigint('number'),
    bucket_id: p.bigint('number'),
    offset_bytes: p.bigint('number'),
  },
})
