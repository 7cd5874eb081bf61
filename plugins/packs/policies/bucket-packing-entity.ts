import { defineEntity, p } from '@mikro-orm/core'

/** `small`: objects up to `packs.object_bytes_max` are packed. */
export type Packing = 'off' | 'small'

/** The packing of buckets; `off` without a row (I-12). */
export const bucketPackingEntity = defineEntity({
  name: 'BucketPacking',
  tableName: 'bucket_packings',
  properties: {
    bucket_id: p.bigint('number').primary().autoincrement(false),
    packing: p.text().$type<Packing>(),
    /** An operator asked to seal what waits. */
    seal_asked: p.integer().default(0),
    /** Bytes of deleted objects leave the providers within so many days; 0: when that pays. */
    erase_within_days: p.integer().default(0),
  },
})
