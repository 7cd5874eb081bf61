/** Cost of storing and funds of an account, computed like the contracts. Amounts in 10^-18 USDFC. */
import type { ApprovalNeed } from './approval-policy.ts'

/** Current price list of the storage service. */
export interface PriceList {
  readonly storagePerTibPerMonth: bigint
  /** For every data set with at least one piece. */
  readonly dataSetFeePerMonth: bigint
  readonly createDataSetFee: bigint
  readonly addPiecesBaseFee: bigint
  readonly addPiecesPerPieceFee: bigint
  readonly schedulePieceRemovalsFee: bigint
  readonly terminateFee: bigint
  /** Reserve locked per data set: operation fees are paid from it, and it is refilled. */
  readonly lifecycleReserveTarget: bigint
  readonly replenishThreshold: bigint
  /** Epochs of the current rate that stay locked. */
  readonly lockupPeriodEpochs: bigint
  /** Additional lockup per data set with CDN retrieval, for egress and cache misses. */
  readonly cdnLockup: bigint
}

/** An account as FilecoinPay stores it. */
interface StoredAccount {
  readonly funds: bigint
  readonly lockupCurrent: bigint
  /** Amount per epoch. */
  readonly lockupRate: bigint
  readonly lockupLastSettledAt: bigint
}

/** The account settled up to an epoch. */
export interface SettledAccount extends StoredAccount {
  readonly epoch: bigint
  /** Neither locked nor owed: can be withdrawn or locked. */
  readonly available: bigint
  /** Owed in excess of the funds. While positive, pieces cannot be added and rates cannot change. */
  readonly debt: bigint
  /** Epochs until the current rate uses up `available`; null without a rate. */
  readonly runwayEpochs: bigint | null
}

/** Pieces to add to one data set in one call. */
export interface PlannedAddition {
  /** True when the data set must be created first. */
  readonly isNewDataSet: boolean
  /** True when the new data set has CDN retrieval. */
  readonly hasCdn?: boolean
  /** Billed bytes already in the data set; 0 when new or empty. */
  readonly currentBytes: bigint
  readonly addedBytes: bigint
  readonly pieces: number
  /** Calls among which the pieces are divided; default 1. */
  readonly calls?: number
}

export interface CostEstimate {
  /** One-time fees of the calls. */
  readonly fees: bigint
  /** New lockup: the rate increase over the lockup period, a reserve per new data set, and `cdnLockup`. */
  readonly lockup: bigint
  /** Part of `lockup` for CDN retrieval of new data sets. */
  readonly cdnLockup: bigint
  readonly rateIncreasePerEpoch: bigint
  /** Deposit needed before the calls can succeed; 0 when the account suffices. */
  readonly depositNeeded: bigint
  /** Added usage of the service's allowances. */
  readonly approvalNeed: ApprovalNeed
}

export const epochsPerMonth = 86_400n
export const epochsPerDay = 2_880n
const tibBytes = 2n ** 40n
/** Epochs of the current rate added to a needed deposit: the rate continues between estimate and deposit. */
const bufferEpochs = 5n

/** Settles a stored account up to `epoch` like FilecoinPay. */
export function settleAccount(account: StoredAccount, epoch: bigint): SettledAccount {
  const elapsed = epoch > account.lockupLastSettledAt ? epoch - account.lockupLastSettledAt : 0n
  const owed = account.lockupCurrent + account.lockupRate * elapsed
  const available = account.funds > owed ? account.funds - owed : 0n
  const debt = owed > account.funds ? owed - account.funds : 0n
  return { ...account, epoch, available, debt, runwayEpochs: account.lockupRate === 0n ? null : available / account.lockupRate }
}

/** Epochs of the current rate left in the account: the rate lowers `available` until the withdrawal is mined. */
const withdrawalEpochs = 10n

/** Amount whose withdrawal succeeds even if it is mined a few epochs later. */
export function withdrawable({ available, lockupRate }: SettledAccount): bigint {
  const margin = lockupRate * withdrawalEpochs
  return available > margin ? available - margin : 0n
}

/** Rate of a data set per epoch. Each term is rounded down separately, like in the contract. */
export function storageRatePerEpoch(bytes: bigint, prices: PriceList): bigint {
  if (bytes === 0n) return 0n
  return (bytes * prices.storagePerTibPerMonth) / (tibBytes * epochsPerMonth) + prices.dataSetFeePerMonth / epochsPerMonth
}

/** Billed bytes of a number of 32-byte leaves. */
export function billedBytes(leafCount: bigint): bigint {
  return (leafCount * 32n * 127n) / 128n
}

/** Leaves that hold the bytes of a piece. 127 bytes fill four leaves, of which the contract leaves out those without data. */
export function leavesOf(bytes: bigint): bigint {
  return (bytes * 4n + 126n) / 127n
}

/** Paid calls to the storage service, and the pieces of its additions. */
export interface CallCounts {
  readonly creations: number
  readonly additions: number
  readonly pieces: number
  readonly removals: number
  /** Sent by the provider; a termination by the wallet has no fee. */
  readonly terminations: number
}

export type CallFees = Readonly<Record<keyof CallCounts, bigint>>

/** Fees of calls by what they are due for. */
export function feesOfCalls(counts: CallCounts, prices: PriceList): CallFees {
  return {
    creations: BigInt(counts.creations) * prices.createDataSetFee,
    additions: BigInt(counts.additions) * prices.addPiecesBaseFee,
    pieces: BigInt(counts.pieces) * prices.addPiecesPerPieceFee,
    removals: BigInt(counts.removals) * prices.schedulePieceRemovalsFee,
    terminations: BigInt(counts.terminations) * prices.terminateFee,
  }
}

export const sumOf = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((sum, amount) => sum + amount, 0n)

/** A deposit that lets the current rate run for so many epochs more; a debt comes first. */
export function depositForEpochs({ lockupRate, debt }: Pick<SettledAccount, 'lockupRate' | 'debt'>, epochs: bigint): bigint {
  return lockupRate * epochs + debt
}

const daySeconds = 86_400
const runwayDays = { warning: 30, serious: 7 } as const

/** How short a runway is, for readiness, overview, metrics and costs. `seconds` null: there are no running costs. */
export function judgeRunway(seconds: number | null): 'ok' | 'warning' | 'serious' | 'empty' {
  if (seconds === null || seconds >= runwayDays.warning * daySeconds) return 'ok'
  if (seconds <= 0) return 'empty'
  return seconds < runwayDays.serious * daySeconds ? 'serious' : 'warning'
}

/** Whole seconds of a runway; null without running costs. */
export function runwaySeconds(runwayEpochs: bigint | null, epochSeconds: number): number | null {
  if (runwayEpochs === null) return null
  return Math.min(Math.floor(Number(runwayEpochs) * epochSeconds), Number.MAX_SAFE_INTEGER)
}

/** Minimum `available` that the contract requires to create a data set: reserve, fee over the lockup period, and CDN lockup. */
export function dataSetCreationGate(prices: PriceList, { hasCdn = false }: Pick<PlannedAddition, 'hasCdn'> = {}): bigint {
  const fee = (prices.dataSetFeePerMonth * prices.lockupPeriodEpochs) / epochsPerMonth
  return prices.lifecycleReserveTarget + fee + (hasCdn ? prices.cdnLockup : 0n)
}

/** Cost of the additions and the deposit needed for them. */
export function estimateAdditions(additions: readonly PlannedAddition[], prices: PriceList, account: SettledAccount): CostEstimate {
  const total = { fees: 0n, lockup: 0n, cdnLockup: 0n, rateIncreasePerEpoch: 0n, gate: 0n, gateRate: 0n }
  for (const addition of additions) {
    const cost = costOfAddition(addition, prices)
    total.fees += cost.fees
    total.lockup += cost.lockup
    total.cdnLockup += cost.cdnLockup
    total.rateIncreasePerEpoch += cost.rateIncreasePerEpoch
    if (!addition.isNewDataSet) continue
    total.gate += dataSetCreationGate(prices, addition)
    total.gateRate += prices.dataSetFeePerMonth / epochsPerMonth
  }
  const needed = larger(total.fees + total.lockup, total.gate)
  const { fees, lockup, cdnLockup, rateIncreasePerEpoch } = total
  const depositNeeded = missingDeposit(needed, account, rateIncreasePerEpoch)
  const approvalNeed = { ratePerEpoch: larger(rateIncreasePerEpoch, total.gateRate), lockup: needed }
  return { fees, lockup, cdnLockup, rateIncreasePerEpoch, depositNeeded, approvalNeed }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)

/** Reserve of a data set, from which the fees of its calls are paid. */
export interface LifecycleReserve {
  readonly balance: bigint
  /** Fees already due. */
  readonly pending: bigint
}

/** Cost of scheduling removals. Needs no deposit, even in debt, while the reserve needs no refill. */
export function estimateRemoval(reserve: LifecycleReserve, prices: PriceList, account: SettledAccount): CostEstimate {
  const fees = prices.schedulePieceRemovalsFee
  const refill = reserveRefill(reserve, fees, prices)
  return reserveCost(fees, refill, refill === 0n ? 0n : missingDeposit(refill, account, 0n))
}

/** Cost of a termination relayed by the provider. The contract requires an account without debt. */
export function estimateTermination(reserve: LifecycleReserve, prices: PriceList, account: SettledAccount): CostEstimate {
  const fees = prices.terminateFee
  const short = reserve.pending + fees - reserve.balance
  const refill = short > 0n ? short : 0n
  return reserveCost(fees, refill, missingDeposit(refill, account, 0n))
}

const reserveCost = (fees: bigint, refill: bigint, depositNeeded: bigint): CostEstimate => ({
  fees,
  lockup: refill,
  cdnLockup: 0n,
  rateIncreasePerEpoch: 0n,
  depositNeeded,
  approvalNeed: { ratePerEpoch: 0n, lockup: refill },
})

/** The service refills a reserve to its target when a fee would lower it below the threshold. */
function reserveRefill({ balance, pending }: LifecycleReserve, fee: bigint, prices: PriceList): bigint {
  const due = pending + fee
  return balance >= due + prices.replenishThreshold ? 0n : prices.lifecycleReserveTarget + due - balance
}

function costOfAddition(
  addition: PlannedAddition,
  prices: PriceList,
): Pick<CostEstimate, 'fees' | 'lockup' | 'cdnLockup' | 'rateIncreasePerEpoch'> {
  const pieces = BigInt(addition.pieces)
  const calls = BigInt(addition.calls ?? 1)
  const before = addition.isNewDataSet ? 0n : storageRatePerEpoch(addition.currentBytes, prices)
  const after = storageRatePerEpoch((addition.isNewDataSet ? 0n : addition.currentBytes) + addition.addedBytes, prices)
  const rateIncreasePerEpoch = after - before
  const cdnLockup = addition.isNewDataSet && addition.hasCdn ? prices.cdnLockup : 0n
  return {
    fees:
      (pieces === 0n ? 0n : calls * prices.addPiecesBaseFee + pieces * prices.addPiecesPerPieceFee) +
      (addition.isNewDataSet ? prices.createDataSetFee : 0n),
    lockup: rateIncreasePerEpoch * prices.lockupPeriodEpochs + (addition.isNewDataSet ? prices.lifecycleReserveTarget : 0n) + cdnLockup,
    cdnLockup,
    rateIncreasePerEpoch,
  }
}

function missingDeposit(needed: bigint, account: SettledAccount, rateIncrease: bigint): bigint {
  const short = needed + account.debt - account.available
  if (short <= 0n) return 0n
  // The account does not change without a rate, so no buffer is needed.
  return account.lockupRate === 0n ? short : short + (account.lockupRate + rateIncrease) * bufferEpochs
}
