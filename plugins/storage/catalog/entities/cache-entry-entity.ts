import { defineEntity, p } from '@mikro-orm/core'
import { contentEntity } from './content-entity.ts'

/** `evicting`: its files are being deleted. `damaged`: a file is missing or has other bytes, and the files are kept: see damage-store.ts. */
type CacheEntryState = 'present' | 'evicting' | 'damaged'

/** A content with cached bytes. */
export const cacheEntryEntity = defineEntity({
  name: 'CacheEntry',
  tableName: 'cache_entries',
  properties: {
    content_id: () =>
      p.manyToOne(contentEntity).fieldName('content_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    state: p.text().$type<CacheEntryState>().default('present'),
    bytes: p.bigint('number'),
    releasable: p.integer().default(0),
    accessed_at: p.bigint('number'),
    cached_at: p.bigint('number'),
    awaits_proof: p.integer().default(0),
  },
})
