import { defineEntity, p } from '@mikro-orm/core'

/** Payments of all months by rail: the sums of `cost_payments`, added up when those are recorded. */
export const costSumEntity = defineEntity({
  name: 'CostSum',
  tableName: 'cost_sums',
  properties: {
    wallet: p.text().primary(),
    rail_id: p.text().primary(),
    kind: p.text().$type<'one_time' | 'storage' | 'unknown'>().primary(),
    amount: p.text(),
  },
})
