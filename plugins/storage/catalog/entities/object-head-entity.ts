import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from './bucket-entity.ts'

/**
 * Keys whose current version has bytes. `content_id` has no foreign key: that of the version suffices, and an index for it would cost
 * each put. `id` is given by a trigger and kept while the key stays current.
 */
export const objectHeadEntity = defineEntity({
  name: 'ObjectHead',
  tableName: 'object_heads',
  properties: {
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk().primary(),
    key: p.text().primary(),
    version_id: p.text(),
    rseq: p.bigint('number'),
    content_id: p.bigint('number'),
    size: p.bigint('number'),
    etag: p.text(),
    last_modified: p.bigint('number'),
    id: p.bigint('number').nullable(),
    checksum: p.text().nullable(),
  },
})
