import { clock, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { contributions } from '#kernel/system'
import { type AddedPieces, paidWork } from '#plugins/replication'
import { costPolicy, funds, type PriceList } from '#plugins/wallet'
import { costBook, feeSavers } from '../contract.ts'
import { showRate, sumRails } from '../cost/sum-costs-policy.ts'
import { costErrors } from '../errors.ts'
import { listLeaks } from './leak-api.ts'
import { feePercent, piecesFees } from './leak-policy.ts'

const monthMs = 30 * 86_400_000
const bucketsMax = 20

export const leakRoutes = defineRoutes({
  name: 'fee-leaks',
  uses: { paidWork, book: costBook, funds, contributions, clock },
  endpoints: [listLeaks],
  register(app, { paidWork, book, funds, contributions, clock }) {
    async function describe(
      added: AddedPieces,
      fees: bigint,
      { sinceMs, prices }: { readonly sinceMs: number; readonly prices: PriceList },
    ) {
      const [rails, { known }, policy] = await Promise.all([book.railsOf(added.bucketId), book.book(), costPolicy()])
      const storage = known ? BigInt(showRate(sumRails(rails).rate, policy).per_month) : undefined
      const [saving] = (
        await Promise.all(
          contributions
            .to(feeSavers)
            .map(({ item, services }) => item.find(services, { bucketId: added.bucketId, bucket: added.bucketName, sinceMs, prices })),
        )
      ).filter((found) => found !== undefined)
      return {
        ...{ bucket: added.bucketName, pieces: added.pieces, fees: String(fees) },
        ...{
          storage: storage === undefined ? null : String(storage),
          fee_percent: storage === undefined ? null : feePercent(fees, storage),
        },
        ...(saving && { saving: { ...saving, saved: String(saving.saved) } }),
      }
    }

    serveEndpoint(app, listLeaks, async () => {
      const named = await funds.prices()
      if (!named) throw costErrors.prices_unreadable()
      const prices = (await costPolicy()).parsePrices(named.list)
      const sinceMs = clock.now() - monthMs
      const added = (await paidWork.addedSince(sinceMs)).map((one) => ({ one, fees: piecesFees(one, prices) }))
      const most = added.toSorted((a, b) => (a.fees < b.fees ? 1 : a.fees > b.fees ? -1 : 0)).slice(0, bucketsMax)
      return {
        since: formatTime(sinceMs),
        buckets: await Promise.all(most.map(({ one, fees }) => describe(one, fees, { sinceMs, prices }))),
      }
    })
  },
})
