/** Estimates an action with the prices of the moment, or with the last ones that were read while the node does not answer. */
import { type Clock, within } from '#kernel'
import type { PaidWork } from '#plugins/replication'
import type { Chain, ChainSettings, CostPolicy, Funds, PriceList, SettledAccount } from '#plugins/wallet'
import { costErrors } from '../errors.ts'
import type { CostEstimateAnswer, EstimateRequest } from './cost-api.ts'
import { offeredDeposit } from './describe-cost.ts'
import { type Estimate, estimate, type Plan, piecesPerCall } from './estimate-policy.ts'
import { type PlanDeps, planAction } from './plan-action.ts'
import { showRunway } from './show-parts.ts'
import { showLocked, showRate } from './sum-costs-policy.ts'

interface EstimateDeps extends PlanDeps {
  readonly funds: Pick<Funds, 'view'>
  readonly paidWork: Pick<PaidWork, 'dataSets' | 'whyLimited'>
  readonly settings: Pick<ChainSettings, 'default_copies' | 'with_cdn'>
  readonly chain: Pick<Chain, 'network'>
  readonly clock: Clock
}

/** A node that answers later does not delay the page: the prices of the last read are shown. */
const viewMs = 5000
const daySeconds = 86_400

interface Money {
  readonly account: SettledAccount
  readonly prices: PriceList
}

async function readMoney({ funds, book, clock }: EstimateDeps): Promise<Money> {
  const view = await within(viewMs, funds.view(), () => undefined, clock)
  const money = view ?? (await book.book()).known
  if (!money) throw costErrors.prices_unreadable()
  return money
}

export async function estimateAction(deps: EstimateDeps, request: EstimateRequest): Promise<CostEstimateAnswer> {
  const money = await readMoney(deps)
  const policy = await deps.book.policy()
  const plan = await planAction(deps, request, money.prices)
  const result = estimate(plan, { ...money, hasCdn: deps.settings.with_cdn }, policy)
  const { epochSeconds } = deps.chain.network
  const nowMs = deps.clock.now()
  const runway = (epochs: bigint | null) => showRunway(policy.runwaySeconds(epochs, epochSeconds), nowMs, policy)
  const waitsFor = await whyItWaits(deps, { plan, result, money })
  return {
    kind: plan.kind,
    price_fingerprint: policy.namePrices(money.prices).fingerprint,
    fee: String(result.fee),
    fee_max: String(result.feeMax),
    lock: String(result.lock),
    rate: showRate(result.rate, policy),
    runway_before: runway(money.account.runwayEpochs),
    runway_after: runway(result.after.runwayEpochs),
    deposit_needed: String(result.depositNeeded),
    deposit_for_90_days: offeredDeposit(result.after, epochSeconds, policy),
    ...showReplaced({ plan, result, money }, { policy, runway, epochSeconds }),
    basis: {
      data_sets: plan.targets.length,
      pieces: String(plan.pieces * BigInt(plan.targets.length)),
      pieces_per_call: piecesPerCall,
      billed_bytes: String(result.billedBytes),
    },
    ...(waitsFor === undefined ? {} : { waits_for: waitsFor }),
  }
}

interface Estimated {
  readonly plan: Plan
  readonly result: Estimate
  readonly money: Money
}

interface Shown {
  readonly policy: CostPolicy
  readonly epochSeconds: number
  runway(epochs: bigint | null): CostEstimateAnswer['runway_before']
}

function showReplaced(
  { plan: { replaced }, result: { afterEnd }, money }: Estimated,
  { policy, epochSeconds, runway }: Shown,
): Pick<CostEstimateAnswer, 'replaced'> {
  if (!replaced || !afterEnd) return {}
  const { lockupPeriodEpochs } = money.prices
  return {
    replaced: {
      rate: showRate(replaced.rate, policy),
      locked: showLocked(replaced),
      paid_epochs_after_end: String(lockupPeriodEpochs),
      paid_days_after_end: Math.floor((Number(lockupPeriodEpochs) * epochSeconds) / daySeconds),
      runway_after_end: runway(afterEnd.runwayEpochs),
    },
  }
}

async function whyItWaits({ paidWork, book }: EstimateDeps, { plan, result, money }: Estimated): Promise<string | undefined> {
  const { formatUsdfc, roundUpUsdfc, withdrawable } = await book.policy()
  if (plan.kind === 'withdraw') {
    const most = withdrawable(money.account)
    return -plan.deposit > most ? `at most ${formatUsdfc(most)} USDFC can be withdrawn now` : undefined
  }
  if (result.depositNeeded > 0n)
    return `the payment account lacks ${formatUsdfc(roundUpUsdfc(result.depositNeeded))} USDFC; run \`svc wallet deposit\``
  if (plan.targets.length === 0) return undefined
  return paidWork.whyLimited({ fees: result.fee, ratePerEpoch: result.rate })
}
