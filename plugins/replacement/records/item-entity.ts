import { defineEntity, p } from '@mikro-orm/core'
import type { ItemState } from '../contract/records.ts'
import { replacementEntity } from './replacement-entity.ts'

/** Contents that a replacement moves, one row each. */
export const replacementItemEntity = defineEntity({
  name: 'ReplacementItem',
  tableName: 'replacement_items',
  properties: {
    replacement_id: () =>
      p.manyToOne(replacementEntity).fieldName('replacement_id').mapToPk().primary().updateRule('no action').deleteRule('no action'),
    content_id: p.bigint('number').primary(),
    state: p.text().$type<ItemState>(),
    next_attempt_at: p.bigint('number').nullable(),
  },
})
