import { defineEntity, p } from '@mikro-orm/core'

export const bucketEntity = defineEntity({
  name: 'Bucket',
  tableName: 'buckets',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    name: p.text().unique(),
    owner_access_key: p.text().nullable(),
    default_copies: p.integer(),
    minimum_durable_copies: p.integer(),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    deleted_at: p.bigint('number').nullable(),
    deleted_name: p.text().nullable(),
  },
})
