/** Keeps paid work within the spend limits: the attempts themselves are the record of what is reserved. */
import type { Clock, Reader } from '#kernel'
import { type ChainSettings, type CostPolicy, costPolicy, type FundingView, type Funds, type Spending } from '#plugins/wallet'
import type { PaidCallCounts } from '../contract/paid-work.ts'
import type { PaidCalls, PaidFees, SpendUse } from '../contract.ts'
import { recordedPrices, uncountedAdditions } from './paid-calls-store.ts'
import { type Planned, periodsAt, whyAboveLimit } from './spend-limit-policy.ts'

export interface SpendLimitDeps {
  readonly funds: Pick<Funds, 'canPay' | 'view'>
  readonly clock: Clock
  readonly calls: PaidCallCounts
  readonly settings: Pick<ChainSettings, 'spend_limit_daily' | 'spend_limit_monthly' | 'with_cdn'>
}

/** Fees of calls by the price list of each. */
export function feesOf(calls: readonly PaidCalls[], prices: ReadonlyMap<string, string>, policy: CostPolicy): PaidFees {
  const fees = { creations: 0n, additions: 0n, pieces: 0n, removals: 0n, terminations: 0n }
  let callsWithoutPrice = 0
  for (const { priceList, hasLanded: _, ...counts } of calls) {
    const list = priceList === undefined ? undefined : prices.get(priceList)
    if (list === undefined) {
      callsWithoutPrice += counts.creations + counts.additions + counts.removals + counts.terminations
      continue
    }
    const due = policy.feesOfCalls(counts, policy.parsePrices(list))
    for (const kind of Object.keys(fees) as (keyof typeof fees)[]) fees[kind] += due[kind]
  }
  return { ...fees, total: policy.sumOf(Object.values(fees)), callsWithoutPrice }
}

const limitOf = (text: string | undefined, { parseUsdfc }: CostPolicy): bigint | undefined => {
  const parsed = text === undefined ? undefined : parseUsdfc(text)
  return parsed?.isValid ? parsed.baseUnits : undefined
}

/** How far the limits are used by what is recorded; `view`: account and prices of the moment. */
export async function usesOf(
  { clock, calls, settings }: Pick<SpendLimitDeps, 'clock' | 'calls' | 'settings'>,
  read: Reader,
  { view, policy }: { readonly view: FundingView | undefined; readonly policy: CostPolicy },
): Promise<readonly SpendUse[]> {
  const periods = periodsAt(clock.now())
  const prices = await recordedPrices(read)
  const rate = view && view.account.lockupRate + rateOf(await uncountedAdditions(read, view.account.epoch), view, policy)
  const use = async (period: SpendUse['period'], limit: string | undefined, epochs: bigint): Promise<SpendUse> => ({
    period,
    limit: limitOf(limit, policy),
    fees: feesOf(await calls.since(read, periods[period].startMs), prices, policy).total,
    storage: rate === undefined ? undefined : rate * epochs,
    endsAtMs: periods[period].endMs,
  })
  return [
    await use('daily', settings.spend_limit_daily, policy.epochsPerDay),
    await use('monthly', settings.spend_limit_monthly, policy.epochsPerMonth),
  ]
}

/** The rate that these additions add to the account. */
function rateOf(
  { bytes, emptySets }: { readonly bytes: number; readonly emptySets: number },
  { prices }: FundingView,
  { storageRatePerEpoch, epochsPerMonth }: CostPolicy,
): bigint {
  const fee = prices.dataSetFeePerMonth / epochsPerMonth
  return bytes === 0 ? 0n : storageRatePerEpoch(BigInt(bytes), prices) - fee + BigInt(emptySets) * fee
}

const hasLimits = ({ settings }: Pick<SpendLimitDeps, 'settings'>): boolean =>
  Boolean(settings.spend_limit_daily) || Boolean(settings.spend_limit_monthly)

/** Compares planned work with the limits in a transaction or before one; undefined while no limit is set. The account is older than it. */
type SpendCheck = (read: Reader) => Promise<string | undefined>

export async function openSpendCheck(deps: SpendLimitDeps, spending: Spending): Promise<SpendCheck | undefined> {
  if (!hasLimits(deps)) return undefined
  const [policy, view] = await Promise.all([costPolicy(), deps.funds.view(), deps.calls.closeDays()])
  const planned: Planned = view ? costOf(spending, deps.settings.with_cdn, { view, policy }) : { fees: 0n, ratePerEpoch: 0n }
  return async (read) => whyAboveLimit(await usesOf(deps, read, { view, policy }), planned, policy)
}

function costOf(
  spending: Spending,
  hasCdn: boolean,
  { view, policy }: { readonly view: FundingView; readonly policy: CostPolicy },
): Planned {
  const { fees, rateIncreasePerEpoch } = policy.estimateAdditions(policy.toAdditions(spending, hasCdn), view.prices, view.account)
  return { fees, ratePerEpoch: rateIncreasePerEpoch }
}

/** Why planned work cannot be paid now; undefined when it can. Waiting for it uses no attempt (I-08). */
export async function whyUnpaid(
  deps: SpendLimitDeps & { readonly database: { readonly read: Reader } },
  spending: Spending,
): Promise<{ readonly reason: 'funding' | 'spend_limit'; readonly message: string } | undefined> {
  const verdict = await deps.funds.canPay(spending)
  if (!verdict.isCovered) return { reason: 'funding', message: verdict.message }
  const message = await (await openSpendCheck(deps, spending))?.(deps.database.read)
  return message === undefined ? undefined : { reason: 'spend_limit', message }
}
