import { defineEntity, p } from '@mikro-orm/core'

/** Epochs of a month whose payments were followed. `starts_whole`: from the first one on. `has_gap`: the node had no logs of some. */
export const costMonthEntity = defineEntity({
  name: 'CostMonth',
  tableName: 'cost_months',
  properties: {
    wallet: p.text().primary(),
    month: p.text().primary(),
    from_epoch: p.text(),
    to_epoch: p.text(),
    starts_whole: p.integer(),
    has_gap: p.integer(),
  },
})
