import { defineEntity, p } from '@mikro-orm/core'

/** What the buckets of each owner hold, and all buckets together. Triggers on `bucket_stats` count it. */
export const storedUsageEntity = defineEntity({
  name: 'StoredUsage',
  tableName: 'stored_usage',
  properties: {
    /** Access key; empty: the internal root account; `*`: all owners. */
    owner: p.text().primary(),
    buckets: p.bigint('number').default(0),
    versions: p.bigint('number').default(0),
    version_bytes: p.bigint('number').default(0),
  },
})
