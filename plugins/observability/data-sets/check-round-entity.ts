import { defineEntity, p } from '@mikro-orm/core'

/** The last complete round of checks of a kind, such as of data sets. */
export const checkRoundEntity = defineEntity({
  name: 'CheckRound',
  tableName: 'check_rounds',
  properties: {
    name: p.text().primary(),
    started_at: p.bigint('number'),
    finished_at: p.bigint('number'),
    /** The epoch at which the chain was read. */
    epoch: p.bigint('number'),
    data_sets: p.integer(),
    chain_calls: p.bigint('number'),
    chain_requests: p.bigint('number'),
  },
})
