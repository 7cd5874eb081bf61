/** What the overview and the details of a bucket get of the costs. */
import { clock } from '#kernel'
import { defineBucketDetailPart, defineOverviewPart } from '#plugins/admin'
import { paidWork } from '#plugins/replication'
import { chainClient } from '#plugins/wallet'
import { costBook } from '../contract.ts'
import { offeredDeposit } from './describe-cost.ts'
import { showLimit, showReading, showRunway } from './show-parts.ts'
import { showLocked, showRate, sumRails } from './sum-costs-policy.ts'

export const costOverview = defineOverviewPart({
  name: 'cost',
  into: 'cost',
  uses: { book: costBook, paidWork, chain: chainClient, clock },
  async summarise({ book, paidWork, chain, clock }) {
    const [{ read, known }, uses, policy] = await Promise.all([book.book(), paidWork.limits(), book.policy()])
    return {
      freshness: showReading(read, clock.now()).freshness,
      runway: showRunway(known?.runwaySeconds, clock.now(), policy),
      rate: known ? showRate(known.account.lockupRate, policy) : null,
      deposit_for_90_days: known ? offeredDeposit(known.account, chain.network.epochSeconds, policy) : null,
      spend_limits_reached: uses.filter((use) => showLimit(use).is_reached).map(({ period }) => period),
    }
  },
})

export const bucketCostPart = defineBucketDetailPart({
  name: 'cost',
  uses: { book: costBook },
  async describe({ book }, { id }) {
    const [rails, policy] = await Promise.all([book.railsOf(id), book.policy()])
    const sum = sumRails(rails)
    return { members: { cost: { rate: showRate(sum.rate, policy), locked: showLocked(sum) } } }
  },
})
