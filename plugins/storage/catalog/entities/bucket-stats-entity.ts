import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from './bucket-entity.ts'

/** Counted in the transactions that change keys, so that no page ever counts the versions of a bucket. */
export const bucketStatsEntity = defineEntity({
  name: 'BucketStats',
  tableName: 'bucket_stats',
  properties: {
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    live_objects: p.bigint('number').default(0),
    live_bytes: p.bigint('number').default(0),
    versions: p.bigint('number').default(0),
    version_bytes: p.bigint('number').default(0),
    tombstones: p.bigint('number').default(0),
  },
})
