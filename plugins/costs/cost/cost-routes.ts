import { clock, database, defineRoutes, serveEndpoint, within } from '#kernel'
import { contributions } from '#kernel/system'
import { paidWork, placements } from '#plugins/replication'
import { type Bucket, buckets } from '#plugins/storage'
import { chainClient, chainSettings, funds, isChainUnreachable, type PriceList } from '#plugins/wallet'
import { costBook, feeSavers } from '../contract.ts'
import { sumBucketPayments } from '../receipts/receipt-store.ts'
import { estimateCost, refreshCost, showBucketCost, showCost } from './cost-api.ts'
import { describeBucketCost } from './describe-bucket-cost.ts'
import { describeCost } from './describe-cost.ts'
import { estimateAction } from './estimate-action.ts'

const bucketsListed = 100
/** Below the deadline of the route. */
const refreshMs = 50_000

export const costRoutes = defineRoutes({
  name: 'costs',
  uses: {
    book: costBook,
    paidWork,
    placements,
    buckets,
    database,
    funds,
    settings: chainSettings,
    chain: chainClient,
    contributions,
    clock,
  },
  endpoints: [showCost, refreshCost, showBucketCost, estimateCost],
  register(app, deps) {
    const { book, paidWork, placements, buckets, database, chain, contributions, clock } = deps

    async function describe(query: { readonly buckets?: number }) {
      const [known, rails, fees, uses, policy] = await Promise.all([
        book.book(),
        book.rails(),
        paidWork.fees(),
        paidWork.limits(),
        book.policy(),
      ])
      const listed = query.buckets ?? bucketsListed
      return describeCost({ book: known, rails, fees, uses, listed, policy, nowMs: clock.now(), epochSeconds: chain.network.epochSeconds })
    }

    async function sumSaved({ id: bucketId, name: bucket }: Bucket, prices: PriceList): Promise<bigint> {
      const savers = contributions.to(feeSavers)
      const saved = await Promise.all(savers.map(({ item, services }) => item.saved(services, { bucketId, bucket, prices })))
      return saved.reduce((sum, one) => sum + one, 0n)
    }

    serveEndpoint(app, showCost, ({ query }) => describe(query))

    serveEndpoint(app, refreshCost, async ({ query }) => {
      // What the node did not tell in time is read by the task.
      const reads = book.refresh({ isForced: true }).then(() => book.follow())
      await within(refreshMs, reads, () => undefined, clock).catch((error: unknown) => {
        if (!isChainUnreachable(error)) throw error
      })
      return describe(query)
    })

    serveEndpoint(app, showBucketCost, async ({ params }) => {
      const bucket = buckets.require(params.name)
      const [known, rails, records, fees, policy, paid] = await Promise.all([
        book.book(),
        book.railsOf(bucket.id),
        placements.dataSetsOf([bucket.id]),
        paidWork.fees(bucket.id),
        book.policy(),
        sumBucketPayments(database.read, book.wallet, bucket.id),
      ])
      const saved = known.known && (await sumSaved(bucket, known.known.prices))
      return describeBucketCost({ bucket, book: known, rails, records, fees, paid, saved, policy, nowMs: clock.now() })
    })

    serveEndpoint(app, estimateCost, ({ body }) => estimateAction(deps, body))
  },
})
