/** What an action adds to the costs. Amounts in 10^-18 USDFC. */
import type { CostPolicy, PlannedAddition, PriceList, SettledAccount } from '#plugins/wallet'
import type { EstimateRequest } from './cost-api.ts'
import type { CostSum } from './sum-costs-policy.ts'

/** Pieces of an addition while the limit of a provider is unknown. */
export const piecesPerCall = 40
/** Smaller pieces are filled up. */
const pieceBytesMin = 127n
/** Pieces of all data sets of one estimate. */
export const estimatedPiecesMax = 1_000_000_000_000n

/** A data set that an action adds to. */
export interface TargetSet {
  /** Is undefined for a data set that is created. */
  readonly leaves: bigint | undefined
}

export interface Plan {
  readonly kind: EstimateRequest['kind']
  readonly targets: readonly TargetSet[]
  /** Added to each of them. */
  readonly pieces: bigint
  readonly leaves: bigint
  /** Other fees of the action. */
  readonly fees: bigint
  /** Money that comes into the account; negative: that leaves it. */
  readonly deposit: bigint
  /** The service that the action ends. */
  readonly replaced?: CostSum
}

export const noPlan = { targets: [], pieces: 0n, leaves: 0n, fees: 0n, deposit: 0n } as const

/** Pieces and leaves of objects of equal size. */
export function piecesOfObjects(
  { objects, bytes, pieceBytesMax }: { readonly objects: number; readonly bytes: number; readonly pieceBytesMax: number },
  { leavesOf }: Pick<CostPolicy, 'leavesOf'>,
): Pick<Plan, 'pieces' | 'leaves'> {
  const [size, max, count] = [BigInt(bytes), BigInt(pieceBytesMax), BigInt(objects)]
  const [whole, rest] = [size / max, size % max]
  const restLeaves = rest === 0n ? 0n : leavesOf(rest < pieceBytesMin ? pieceBytesMin : rest)
  return { pieces: count * (whole + (rest === 0n ? 0n : 1n)), leaves: count * (whole * leavesOf(max) + restLeaves) }
}

export interface Estimate {
  readonly fee: bigint
  /** When each piece has a call of its own. */
  readonly feeMax: bigint
  readonly lock: bigint
  /** The rate is per epoch. */
  readonly rate: bigint
  readonly depositNeeded: bigint
  readonly billedBytes: bigint
  /** The account after the action. */
  readonly after: { readonly lockupRate: bigint; readonly debt: bigint; readonly runwayEpochs: bigint | null }
  /** The account when the end of the replaced service is on chain too: its reserve is returned, and its advance pays what is left of it. */
  readonly afterEnd?: { readonly runwayEpochs: bigint | null }
}

export function estimate(
  plan: Plan,
  { account, prices, hasCdn }: { readonly account: SettledAccount; readonly prices: PriceList; readonly hasCdn: boolean },
  policy: Pick<CostPolicy, 'billedBytes' | 'estimateAdditions'>,
): Estimate {
  const additions = (piecesPerCall: bigint) => plan.targets.map((target) => toAddition(plan, target, { piecesPerCall, hasCdn, policy }))
  const cost = policy.estimateAdditions(additions(BigInt(piecesPerCall)), prices, account)
  const single = policy.estimateAdditions(additions(1n), prices, account)
  const fee = cost.fees + plan.fees
  const left = account.available - account.debt + plan.deposit - fee - cost.lockup
  const lockupRate = account.lockupRate + cost.rateIncreasePerEpoch
  return {
    fee,
    feeMax: single.fees + plan.fees,
    lock: cost.lockup,
    rate: cost.rateIncreasePerEpoch,
    depositNeeded: cost.depositNeeded,
    billedBytes: additions(1n).reduce((sum, { addedBytes }) => sum + addedBytes, 0n),
    after: { lockupRate, debt: left < 0n ? -left : 0n, runwayEpochs: epochsOf(left, lockupRate) },
    ...(plan.replaced && { afterEnd: { runwayEpochs: epochsOf(left + plan.replaced.reserve, lockupRate - plan.replaced.rate) } }),
  }
}

const epochsOf = (left: bigint, ratePerEpoch: bigint): bigint | null => (ratePerEpoch <= 0n ? null : left > 0n ? left / ratePerEpoch : 0n)

function toAddition(
  { pieces, leaves }: Plan,
  target: TargetSet,
  how: { readonly piecesPerCall: bigint; readonly hasCdn: boolean; readonly policy: Pick<CostPolicy, 'billedBytes'> },
): PlannedAddition {
  const { billedBytes } = how.policy
  const currentBytes = billedBytes(target.leaves ?? 0n)
  return {
    isNewDataSet: target.leaves === undefined,
    hasCdn: how.hasCdn,
    currentBytes,
    addedBytes: billedBytes((target.leaves ?? 0n) + leaves) - currentBytes,
    pieces: Number(pieces),
    calls: Number((pieces + how.piecesPerCall - 1n) / how.piecesPerCall),
  }
}
