import { clock, defineRoutes, formatTime, serveEndpoint } from '#kernel'
import { contributions } from '#kernel/system'
import { type AddedPieces, paidWork } from '#plugins/replication'
import { type CostPolicy, funds, type PriceList, readPrices } from '#plugins/wallet'
import { costBook, feeSavers } from '../contract.ts'
import { showRate, sumRails } from '../cost/sum-costs-policy.ts'
import { costErrors } from '../errors.ts'
import { listLeaks } from './leak-api.ts'
import { feePercent, piecesFees } from './leak-policy.ts'

const monthMs = 30 * 86_400_000
const bucketsMax = 20

/** What all buckets of an answer share. */
interface Shared {
  readonly sinceMs: number
  readonly prices: PriceList
  /** Is undefined while the chain was not read: then nothing is known of storage. */
  readonly policy: CostPolicy | undefined
}

export const leakRoutes = defineRoutes({
  name: 'fee-leaks',
  uses: { paidWork, book: costBook, funds, contributions, clock },
  endpoints: [listLeaks],
  register(app, { paidWork, book, funds, contributions, clock }) {
    async function describe(added: AddedPieces, fees: bigint, { sinceMs, prices, policy }: Shared) {
      const storage = policy && BigInt(showRate(sumRails(await book.railsOf(added.bucketId)).rate, policy).per_month)
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
      const prices = await readPrices(funds, clock)
      if (!prices) throw costErrors.prices_unreadable()
      const sinceMs = clock.now() - monthMs
      const added = (await paidWork.addedSince(sinceMs)).map((one) => ({ one, fees: piecesFees(one, prices) }))
      const most = added.toSorted((a, b) => (a.fees < b.fees ? 1 : a.fees > b.fees ? -1 : 0)).slice(0, bucketsMax)
      const [{ known }, policy] = await Promise.all([book.book(), book.policy()])
      const shared = { sinceMs, prices, policy: known && policy }
      return {
        since: formatTime(sinceMs),
        buckets: await Promise.all(most.map(({ one, fees }) => describe(one, fees, shared))),
      }
    })
  },
})
