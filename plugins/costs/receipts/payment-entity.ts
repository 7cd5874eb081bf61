import { defineEntity, p } from '@mikro-orm/core'

/** Payments of a month by rail. `rail_id` empty and `kind` unknown: the account lost the amount, and no log says to whom. */
export const costPaymentEntity = defineEntity({
  name: 'CostPayment',
  tableName: 'cost_payments',
  properties: {
    wallet: p.text().primary(),
    month: p.text().primary(),
    rail_id: p.text().primary(),
    kind: p.text().$type<'one_time' | 'storage' | 'unknown'>().primary(),
    payments: p.bigint('number'),
    amount: p.text(),
  },
})
