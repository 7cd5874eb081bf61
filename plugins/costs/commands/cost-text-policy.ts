/** Texts of `svc admin cost`. */
import { formatFacts, formatTable } from '#cli'
import type { CostPolicy } from '#plugins/wallet'
import type { BucketCost, Cost, CostEstimateAnswer } from '../cost/cost-api.ts'
import type { Receipt } from '../receipts/receipt-api.ts'

type Amounts = Pick<CostPolicy, 'formatUsdfc' | 'roundUpUsdfc'>
type Fact = readonly [label: string, value: string | undefined]

const exact = (amount: string | null | undefined, { formatUsdfc }: Amounts) =>
  amount === null || amount === undefined ? undefined : `${formatUsdfc(BigInt(amount))} USDFC`
/** Six decimals, rounded up. */
const short = (amount: string, { formatUsdfc, roundUpUsdfc }: Amounts) => formatUsdfc(roundUpUsdfc(BigInt(amount)))

const levels: Readonly<Record<Cost['runway']['level'], string>> = {
  ok: '',
  warning: ' (less than 30 days)',
  serious: ' (less than 7 days: deposit soon)',
  empty: ' (the deposit is used up)',
  unknown: '',
}

function runwayText({ days, level }: Cost['runway']): string {
  if (level === 'unknown') return 'unknown: the account was not read yet'
  return days === null ? 'no running costs' : `${days} days${levels[level]}`
}

function limitText({ limit, used, fees, resets_at }: Cost['limits']['daily'], amounts: Amounts): string {
  const counted = used === null ? 'use unknown' : `${short(used, amounts)} used`
  if (limit === null) return `off (${counted})`
  return `${short(limit, amounts)} USDFC, ${counted}, of which ${short(fees, amounts)} fees until ${resets_at}`
}

const readingFacts = ({ freshness, read_at, failure }: Pick<Cost, 'freshness' | 'read_at' | 'failure'>): readonly Fact[] => [
  ['Read', freshness === 'unknown' ? 'not yet' : `${read_at}${freshness === 'stale' ? ' (stale)' : ''}`],
  ['Last failure', failure],
]

const lockedText = ({ reserve, advance }: { readonly reserve: string; readonly advance: string }, amounts: Amounts) =>
  short(String(BigInt(reserve) + BigInt(advance)), amounts)

export function costText(cost: Cost, amounts: Amounts): string {
  const facts = formatFacts([
    ['Runway', runwayText(cost.runway)],
    ['90 more days', exact(cost.deposit_for_90_days, amounts)],
    ['Available', exact(cost.account?.available, amounts)],
    ['Debt', cost.account?.debt === '0' ? undefined : exact(cost.account?.debt, amounts)],
    ['Locked', exact(cost.account?.locked.total, amounts)],
    ['Rate per month', exact(cost.rate?.per_month, amounts)],
    ['Rate per day', exact(cost.rate?.per_day, amounts)],
    ['Fees so far', exact(cost.fees.total, amounts)],
    ['Spend limit per day', limitText(cost.limits.daily, amounts)],
    ['Spend limit per month', limitText(cost.limits.monthly, amounts)],
    ['Price list', cost.prices?.fingerprint],
    ...readingFacts(cost),
  ])
  const fees = formatTable(
    ['fees', 'usdfc'],
    (['create_data_sets', 'addition_calls', 'pieces', 'removals', 'terminations'] as const).map((kind) => [
      kind,
      short(cost.fees[kind], amounts),
    ]),
  )
  const share = (name: string, { rate, locked }: Pick<Cost['foreign'], 'rate' | 'locked'>) => [
    name,
    short(rate.per_month, amounts),
    lockedText(locked, amounts),
  ]
  const buckets = formatTable(
    ['bucket', 'usdfc/month', 'locked'],
    [
      ...cost.buckets.map((bucket) => share(bucket.name, bucket)),
      ...(cost.other_buckets.count > 0 ? [share(`${cost.other_buckets.count} other buckets`, cost.other_buckets)] : []),
      ...(cost.deleted_buckets.data_sets > 0 ? [share('(deleted buckets)', cost.deleted_buckets)] : []),
      ...(cost.foreign.rails > 0 ? [share('(not of this gateway)', cost.foreign)] : []),
    ],
  )
  return [facts, '', fees, '', buckets].join('\n')
}

export function bucketCostText(cost: BucketCost, amounts: Amounts): string {
  const facts = formatFacts([
    ['Bucket', cost.bucket],
    ['Rate per month', exact(cost.rate?.per_month, amounts)],
    ['Rate per day', exact(cost.rate?.per_day, amounts)],
    ['Locked', cost.locked ? `${lockedText(cost.locked, amounts)} USDFC` : undefined],
    ['Fees so far', exact(cost.fees.total, amounts)],
    [`Paid since ${cost.paid.since ?? 'now'}`, exact(String(BigInt(cost.paid.one_time) + BigInt(cost.paid.storage)), amounts)],
    ...readingFacts(cost),
  ])
  const table = formatTable(
    ['copy', 'provider', 'data set', 'status', 'usdfc/month', 'locked', 'bytes'],
    cost.data_sets.map(({ copy_index, provider_id, data_set_id, status, rate, locked, billed_bytes }) => [
      String(copy_index),
      provider_id,
      data_set_id ?? '',
      status,
      short(rate.per_month, amounts),
      lockedText(locked, amounts),
      billed_bytes ?? '',
    ]),
  )
  return `${facts}\n\n${table}`
}

export function estimateText(estimate: CostEstimateAnswer, amounts: Amounts): string {
  const { basis } = estimate
  const isRange = estimate.fee !== estimate.fee_max
  return formatFacts([
    ['Fee', exact(estimate.fee, amounts)],
    ['Fee if each piece has its own call', isRange ? exact(estimate.fee_max, amounts) : undefined],
    ['Locked', exact(estimate.lock, amounts)],
    ['Rate per month', exact(estimate.rate.per_month, amounts)],
    ['Runway before', runwayText(estimate.runway_before)],
    ['Runway after', runwayText(estimate.runway_after)],
    ...replacedFacts(estimate, amounts),
    ['Missing deposit', estimate.deposit_needed === '0' ? undefined : exact(estimate.deposit_needed, amounts)],
    ['90 more days', exact(estimate.deposit_for_90_days, amounts)],
    ['Waits because', estimate.waits_for],
    ['Computed for', `${basis.data_sets} data sets, ${basis.pieces} pieces, ${basis.billed_bytes} billed bytes`],
    ['Price list', estimate.price_fingerprint],
  ])
}

function replacedFacts({ replaced }: CostEstimateAnswer, amounts: Amounts): readonly Fact[] {
  if (!replaced) return []
  return [
    ['Old service per month', exact(replaced.rate.per_month, amounts)],
    ['Old service is paid', `for ${replaced.paid_days_after_end} days after its end, from its locked advance`],
    ['Runway after its end', runwayText(replaced.runway_after_end)],
  ]
}

export function receiptText(receipt: Receipt, amounts: Amounts): string {
  const table = formatTable(
    ['of', 'bucket', 'data set', 'rail', 'kind', 'payments', 'usdfc'],
    receipt.lines.map(({ of, bucket, data_set_id, rail_id, kind, payments, amount }) => [
      of,
      bucket ?? '',
      data_set_id ?? '',
      rail_id ?? '',
      kind,
      String(payments),
      amounts.formatUsdfc(BigInt(amount)),
    ]),
  )
  const facts = formatFacts([
    ['Month', receipt.month],
    ['Complete', receipt.is_complete ? 'yes' : 'no'],
    ['Fees', exact(receipt.one_time, amounts)],
    ['Storage', exact(receipt.storage, amounts)],
    ['Not attributed', receipt.unattributed === '0' ? undefined : exact(receipt.unattributed, amounts)],
    ['Total', exact(receipt.total, amounts)],
  ])
  return `${table}\n\n${facts}`
}
