/** The answer of what all storage costs. */
import type { PaidFees, SpendUse } from '#plugins/replication'
import type { CostPolicy } from '#plugins/wallet'
import type { BookedRail } from '../book/book-store.ts'
import type { Book } from '../book/cost-book.ts'
import type { Cost } from './cost-api.ts'
import { showFees, showLimit, showPrices, showReading, showRunway } from './show-parts.ts'
import { accruedOf, type CostSum, dataSetsOf, groupRails, showLocked, showRate, sumRails } from './sum-costs-policy.ts'

interface CostFacts {
  readonly book: Book
  readonly rails: readonly BookedRail[]
  readonly fees: PaidFees
  readonly uses: readonly SpendUse[]
  /** Largest number of buckets to list. */
  readonly listed: number
  readonly policy: CostPolicy
  readonly nowMs: number
  readonly epochSeconds: number
}

/** The deposit that the dashboard and the CLI offer. */
const offeredDays = 90

export const epochsOfDays = (days: number, epochSeconds: number): bigint => BigInt(Math.ceil((days * 86_400) / epochSeconds))

export const offeredDeposit = (
  account: { readonly lockupRate: bigint; readonly debt: bigint },
  epochSeconds: number,
  { depositForEpochs }: Pick<CostPolicy, 'depositForEpochs'>,
): string => String(depositForEpochs(account, epochsOfDays(offeredDays, epochSeconds)))

export function describeCost({ book: { read, known }, rails, fees, uses, listed, policy, nowMs, epochSeconds }: CostFacts): Cost {
  const { buckets, deleted, foreign } = groupRails(rails)
  const sums = buckets
    .map(({ bucketId, name, rails }) => ({ bucketId, name, sum: sumRails(rails), dataSets: dataSetsOf(rails) }))
    .sort((a, b) => compare(b.sum.rate, a.sum.rate) || compare(lockOf(b.sum), lockOf(a.sum)) || a.bucketId - b.bucketId)
  const show = (sum: CostSum) => ({ rate: showRate(sum.rate, policy), locked: showLocked(sum) })
  const others = sums.slice(listed)
  const [daily, monthly] = uses.map(showLimit)
  if (!daily || !monthly) throw new Error('the spend limits have no day or no month')
  return {
    ...showReading(read, nowMs),
    epoch_seconds: epochSeconds,
    runway: showRunway(known?.runwaySeconds, nowMs, policy),
    account: known ? describeAccount(known.account, sumRails(rails)) : null,
    rate: known ? showRate(known.account.lockupRate, policy) : null,
    deposit_for_90_days: known ? offeredDeposit(known.account, epochSeconds, policy) : null,
    prices: known ? showPrices(known.prices, known.fingerprint) : null,
    fees: showFees(fees),
    fees_pending: known ? String(rails.reduce((sum, { kind, pending }) => (kind === 'other' ? sum : sum + pending), 0n)) : null,
    limits: { daily, monthly },
    buckets: sums
      .slice(0, listed)
      .map(({ bucketId, name, sum, dataSets }) => ({ bucket_id: bucketId, name, ...show(sum), data_sets: dataSets })),
    other_buckets: { count: others.length, ...show(sumRails(others.map(({ sum }) => sum))) },
    deleted_buckets: { ...show(sumRails(deleted)), data_sets: dataSetsOf(deleted) },
    foreign: { ...show(sumRails(foreign)), rails: foreign.length },
  }
}

function describeAccount(account: NonNullable<Book['known']>['account'], sum: CostSum): NonNullable<Cost['account']> {
  const accrued = accruedOf(account, sum)
  return {
    funds: String(account.funds),
    available: String(account.available),
    debt: String(account.debt),
    locked: { ...showLocked(sum), accrued: String(accrued), total: String(sum.reserve + sum.advance + accrued) },
  }
}

const lockOf = ({ reserve, advance }: CostSum) => reserve + advance
const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
