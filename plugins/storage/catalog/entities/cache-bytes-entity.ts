import { defineEntity, p } from '@mikro-orm/core'
import { cacheEntryEntity } from './cache-entry-entity.ts'

/** The bytes of a cached content that has no file. */
export const cacheBytesEntity = defineEntity({
  name: 'CacheBytes',
  tableName: 'cache_bytes',
  properties: {
    content_id: () =>
      p.manyToOne(cacheEntryEntity).fieldName('content_id').mapToPk().primary().updateRule('no action').deleteRule('cascade'),
    bytes: p.blob().$type<Uint8Array>(),
  },
})
