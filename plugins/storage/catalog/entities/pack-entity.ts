import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from './bucket-entity.ts'
import { contentEntity } from './content-entity.ts'

/** A content that holds the bytes of its members. The row is its hold (I-18). */
export const packEntity = defineEntity({
  name: 'Pack',
  tableName: 'packs',
  properties: {
    content_id: () =>
      p.manyToOne(contentEntity).fieldName('content_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    /** The bucket of the content. */
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk(),
    created_at: p.bigint('number'),
    /** Counters of the members that are left, kept by triggers. */
    members: p.bigint('number').default(0),
    living_bytes: p.bigint('number').default(0),
    versions: p.bigint('number').default(0),
    current_versions: p.bigint('number').default(0),
  },
})
