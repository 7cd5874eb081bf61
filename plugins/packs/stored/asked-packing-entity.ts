import { defineEntity, p } from '@mikro-orm/core'

/** An operator wants the small contents of a bucket that are stored to be packed. */
export const askedPackingEntity = defineEntity({
  name: 'AskedPacking',
  tableName: 'asked_packings',
  properties: {
    bucket_id: p.bigint('number').primary().autoincrement(false),
    asked_at: p.bigint('number'),
    /** Contents up to this id are in packs, or were left out. */
    after_id: p.bigint('number').default(0),
    /** Contents when it was asked for. */
    contents: p.bigint('number'),
    packed: p.bigint('number').default(0),
    /** Contents whose bytes could not be read. */
    left_out: p.bigint('number').default(0),
  },
})
