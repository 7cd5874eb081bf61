import { defineEntity, p } from '@mikro-orm/core'

/** How many records a pack was written with, and since when it is known that one of them has no content any more. */
export const sealedPackEntity = defineEntity({
  name: 'SealedPack',
  tableName: 'sealed_packs',
  properties: {
    pack_id: p.bigint('number').primary().autoincrement(false),
    records: p.bigint('number'),
    dead_at: p.bigint('number').nullable(),
  },
})
