/** How long healing takes, and what it costs. Amounts in 10^-18 USDFC. */
import type { ProviderScore } from '#plugins/providers'
import type { BucketDependence } from '#plugins/replication'
import type { CostPolicy, FundingView } from '#plugins/wallet'

/** Pieces of an addition while the limit of a provider is unknown. */
const piecesPerCall = 40

interface MeasuredRate {
  /** Is undefined without measurements. */
  readonly bytesPerSecond: number | undefined
  readonly providers: number
}

/** Returns the median of the providers, of pulls where they were measured, else of uploads: a single fast or slow provider does not decide. */
export function medianRate(scores: readonly (Pick<ProviderScore, 'pull' | 'upload'> | undefined)[]): MeasuredRate {
  const rates = scores
    .flatMap((score) => score?.pull?.bytesPerSecond ?? score?.upload?.bytesPerSecond ?? [])
    .filter((rate) => rate > 0)
    .toSorted((a, b) => a - b)
  return { bytesPerSecond: rates[Math.floor((rates.length - 1) / 2)], providers: rates.length }
}

type Healed = Pick<BucketDependence, 'pieces' | 'leaves' | 'all' | 'lost'>

/** Bytes of the contents that another source has. */
export const healedBytes = ({ all, lost }: Pick<Healed, 'all' | 'lost'>): bigint => all.bytes - lost.bytes

/** Whole seconds, rounded up; the slots of different buckets are filled one after the other at worst. */
export function healSeconds(bytes: bigint, { bytesPerSecond }: MeasuredRate): number | null {
  if (bytes === 0n) return 0
  if (bytesPerSecond === undefined) return null
  return Math.min(Math.ceil(Number(bytes) / bytesPerSecond), Number.MAX_SAFE_INTEGER)
}

/** A new data set for each bucket that has something to copy. */
export function healCost(
  buckets: readonly Healed[],
  { view: { account, prices }, hasCdn }: { readonly view: Pick<FundingView, 'account' | 'prices'>; readonly hasCdn: boolean },
  { billedBytes, estimateAdditions }: Pick<CostPolicy, 'billedBytes' | 'estimateAdditions'>,
) {
  const inCalls = (perCall: number) =>
    buckets
      .filter(({ pieces }) => pieces > 0)
      .map(({ pieces, leaves }) => ({
        isNewDataSet: true,
        hasCdn,
        currentBytes: 0n,
        addedBytes: billedBytes(leaves),
        pieces,
        calls: Math.ceil(pieces / perCall),
      }))
  const cost = estimateAdditions(inCalls(piecesPerCall), prices, account)
  return { ...cost, feeMax: estimateAdditions(inCalls(1), prices, account).fees }
}
