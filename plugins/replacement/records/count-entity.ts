import { defineEntity, p } from '@mikro-orm/core'
import type { ItemState } from '../contract/records.ts'

/** Items of a replacement by state, counted by triggers in the transactions that change them. */
export const replacementCountEntity = defineEntity({
  name: 'ReplacementCount',
  tableName: 'replacement_counts',
  properties: { replacement_id: p.bigint('number').primary(), state: p.text().$type<ItemState>().primary(), n: p.bigint('number') },
})
