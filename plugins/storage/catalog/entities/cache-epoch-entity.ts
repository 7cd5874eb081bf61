import { defineEntity, p } from '@mikro-orm/core'

/** A start of the process, which names the folder of the files that it wrote. */
export const cacheEpochEntity = defineEntity({
  name: 'CacheEpoch',
  tableName: 'cache_epochs',
  properties: {
    epoch: p.bigint('number').primary().autoincrement(false),
    swept_at: p.bigint('number').nullable(),
    /** Identity of the folder of the cache. */
    cache_id: p.text().nullable(),
  },
})
