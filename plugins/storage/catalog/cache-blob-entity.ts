import { defineEntity, p } from '@mikro-orm/core'
import { contentEntity } from './content-entity.ts'

/** A file of the cache. */
export const cacheBlobEntity = defineEntity({
  name: 'CacheBlob',
  tableName: 'cache_blobs',
  properties: {
    blob_id: p.text().primary(),
    content_id: () => p.manyToOne(contentEntity).fieldName('content_id').mapToPk().nullable().deleteRule('no action'),
    ordinal: p.integer(),
    length: p.bigint('number'),
    epoch: p.bigint('number'),
  },
})
