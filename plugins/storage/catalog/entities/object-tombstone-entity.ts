import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from './bucket-entity.ts'

/** Keys whose current version is a delete marker, apart from the heads, so that a listing does not scan deleted keys. */
export const objectTombstoneEntity = defineEntity({
  name: 'ObjectTombstone',
  tableName: 'object_tombstones',
  properties: {
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk().primary(),
    key: p.text().primary(),
    marker_version_id: p.text(),
    rseq: p.bigint('number'),
    deleted_at: p.bigint('number'),
    is_restorable: p.integer(),
  },
})
