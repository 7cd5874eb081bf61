import { defineEntity, p } from '@mikro-orm/core'

/** The last id given to an object head: on SQLite in the only row, on PostgreSQL in the sequence, which concurrent transactions share. */
export const objectIdEntity = defineEntity({
  name: 'ObjectId',
  tableName: 'object_ids',
  properties: { last: p.bigint('number').primary().autoincrement() },
})
