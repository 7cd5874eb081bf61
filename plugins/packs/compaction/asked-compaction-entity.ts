import { defineEntity, p } from '@mikro-orm/core'

/** A pack that an operator wants to be compacted, whether it pays or not. */
export const askedCompactionEntity = defineEntity({
  name: 'AskedCompaction',
  tableName: 'asked_compactions',
  properties: { pack_id: p.bigint('number').primary().autoincrement(false) },
})
