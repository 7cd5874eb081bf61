import { defineEntity, p } from '@mikro-orm/core'

/** The last read of the payment account of a wallet, and how far its payments were followed. Amounts are decimal text in 10^-18 USDFC. */
export const costReadEntity = defineEntity({
  name: 'CostRead',
  tableName: 'cost_reads',
  properties: {
    wallet: p.text().primary(),
    read_at: p.bigint('number').nullable(),
    epoch: p.text().nullable(),
    funds: p.text().nullable(),
    lockup_current: p.text().nullable(),
    lockup_rate: p.text().nullable(),
    settled_at: p.text().nullable(),
    prices: p.text().nullable(),
    failed_at: p.bigint('number').nullable(),
    failure: p.text().nullable(),
    followed_epoch: p.text().nullable(),
    /** The funds are those of the account at that epoch. */
    followed_funds: p.text().nullable(),
    /** Settled storage of all rails since the payments are followed. */
    followed_storage: p.text().nullable(),
  },
})
