/** What storing costs and what an account can pay: the contracts' arithmetic, with no chain in it. Amounts are in 10^-18 USDFC. */
import type { ApprovalNeed } from './approval-policy.ts'

/** Prices in force, from the price list of the storage service. */
export interface PriceList {
  readonly storagePerTibPerMonth: bigint
  /** Added to every data set that holds at least one piece. */
  readonly dataSetFeePerMonth: bigint
  readonly createDataSetFee: bigint
  readonly addPiecesBaseFee: bigint
  readonly addPiecesPerPieceFee: bigint
  readonly schedulePieceRemovalsFee: bigint
  readonly terminateFee: bigint
  /** Locked per data set; operation fees are drawn from it and it is refilled. */
  readonly lifecycleReserveTarget: bigint
  readonly replenishThreshold: bigint
  /** Epochs of the running rate that stay locked. */
  readonly lockupPeriodEpochs: bigint
  /** Locked besides per data set with CDN retrieval: for its egress and for cache misses. */
  readonly cdnLockup: bigint
}

/** An account as FilecoinPay stores it. */
export interface StoredAccount {
  readonly funds: bigint
  readonly lockupCurrent: bigint
  /** Per epoch. */
  readonly lockupRate: bigint
  readonly lockupLastSettledAt: bigint
}

/** The same account brought forward to an epoch. */
export interface SettledAccount extends StoredAccount {
  readonly epoch: bigint
  /** Neither locked nor owed: may be withdrawn or locked. */
  readonly available: bigint
  /** Owed beyond the funds. While positive no piece can be added and no rate changed. */
  readonly debt: bigint
  /** Epochs until the running rate has used up what is available; null while nothing is running. */
  readonly runwayEpochs: bigint | null
}

/** Pieces to be added to one data set, in one or more calls. */
export interface PlannedAddition {
  /** True when the data set has to be created first. */
  readonly isNewDataSet: boolean
  /** True when the new data set asks for CDN retrieval. */
  readonly hasCdn?: boolean
  /** Bytes it already holds, as billed; 0 when new or empty. */
  readonly currentBytes: bigint
  readonly addedBytes: bigint
  readonly pieces: number
}

export interface CostEstimate {
  /** One-time fees of the calls. */
  readonly fees: bigint
  /** Newly locked: the rate increase over the lockup period, a reserve per new data set, and `cdnLockup`. */
  readonly lockup: bigint
  /** The part of it for CDN retrieval of new data sets. */
  readonly cdnLockup: bigint
  readonly rateIncreasePerEpoch: bigint
  /** To pay in before the calls can succeed; 0 when the account suffices. */
  readonly depositNeeded: bigint
  /** What it adds to the usage of the service's allowances. */
  readonly approvalNeed: ApprovalNeed
}

export const epochsPerMonth = 86_400n
const tibBytes = 2n ** 40n
/** Most pieces that a provider takes in one call. */
const piecesPerCallMax = 40n
/** The running rate goes on between the estimate and its use: this many epochs are added when something is owed. */
const bufferEpochs = 5n

/** Brings a stored account to `epoch` the way FilecoinPay does when it settles. */
export function settleAccount(account: StoredAccount, epoch: bigint): SettledAccount {
  const elapsed = epoch > account.lockupLastSettledAt ? epoch - account.lockupLastSettledAt : 0n
  const owed = account.lockupCurrent + account.lockupRate * elapsed
  const available = account.funds > owed ? account.funds - owed : 0n
  const debt = owed > account.funds ? owed - account.funds : 0n
  return { ...account, epoch, available, debt, runwayEpochs: account.lockupRate === 0n ? null : available / account.lockupRate }
}

/** The running rate lowers what is available until a withdrawal is mined: it stays behind for this many epochs. */
const withdrawalEpochs = 10n

/** What can be taken out now without the contract refusing it a few epochs later. */
export function withdrawable({ available, lockupRate }: SettledAccount): bigint {
  const margin = lockupRate * withdrawalEpochs
  return available > margin ? available - margin : 0n
}

/** Rate of a data set per epoch; each term is rounded down by itself, as the contract does. */
export function storageRatePerEpoch(bytes: bigint, prices: PriceList): bigint {
  if (bytes === 0n) return 0n
  return (bytes * prices.storagePerTibPerMonth) / (tibBytes * epochsPerMonth) + prices.dataSetFeePerMonth / epochsPerMonth
}

/** Bytes that are billed for a number of 32-byte leaves. */
export function billedBytes(leafCount: bigint): bigint {
  return (leafCount * 32n * 127n) / 128n
}

/** Money a data set needs available at creation: its reserve, its fee over the lockup period, and what CDN retrieval locks. The contract refuses below it. */
export function dataSetCreationGate(prices: PriceList, { hasCdn = false }: Pick<PlannedAddition, 'hasCdn'> = {}): bigint {
  const fee = (prices.dataSetFeePerMonth * prices.lockupPeriodEpochs) / epochsPerMonth
  return prices.lifecycleReserveTarget + fee + (hasCdn ? prices.cdnLockup : 0n)
}

/** Cost of a set of additions, and what the account lacks for them. */
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
  const depositNeeded = lacking(needed, account, rateIncreasePerEpoch)
  const approvalNeed = { ratePerEpoch: larger(rateIncreasePerEpoch, total.gateRate), lockup: needed }
  return { fees, lockup, cdnLockup, rateIncreasePerEpoch, depositNeeded, approvalNeed }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)

/** A data set's reserve, from which the fees of its calls are drawn. */
export interface LifecycleReserve {
  readonly balance: bigint
  /** Fees already due from it. */
  readonly pending: bigint
}

/** What the account lacks for scheduling removals on a data set: nothing, even in debt, while the reserve need not be refilled. */
export function estimateRemoval(reserve: LifecycleReserve, prices: PriceList, account: SettledAccount): CostEstimate {
  const fees = prices.schedulePieceRemovalsFee
  const refill = reserveRefill(reserve, fees, prices)
  return reserveCost(fees, refill, refill === 0n ? 0n : lacking(refill, account, 0n))
}

/** What the account lacks for a termination relayed by the provider: the contract demands a fully settled account, so no debt. */
export function estimateTermination(reserve: LifecycleReserve, prices: PriceList, account: SettledAccount): CostEstimate {
  const fees = prices.terminateFee
  const short = reserve.pending + fees - reserve.balance
  const refill = short > 0n ? short : 0n
  return reserveCost(fees, refill, lacking(refill, account, 0n))
}

const reserveCost = (fees: bigint, refill: bigint, depositNeeded: bigint): CostEstimate => ({
  fees,
  lockup: refill,
  cdnLockup: 0n,
  rateIncreasePerEpoch: 0n,
  depositNeeded,
  approvalNeed: { ratePerEpoch: 0n, lockup: refill },
})

/** The service refills a reserve to its target when a fee would leave less than the threshold in it. */
function reserveRefill({ balance, pending }: LifecycleReserve, fee: bigint, prices: PriceList): bigint {
  const due = pending + fee
  return balance >= due + prices.replenishThreshold ? 0n : prices.lifecycleReserveTarget + due - balance
}

function costOfAddition(
  addition: PlannedAddition,
  prices: PriceList,
): Pick<CostEstimate, 'fees' | 'lockup' | 'cdnLockup' | 'rateIncreasePerEpoch'> {
  const pieces = BigInt(addition.pieces)
  const calls = (pieces + piecesPerCallMax - 1n) / piecesPerCallMax
  const before = addition.isNewDataSet ? 0n : storageRatePerEpoch(addition.currentBytes, prices)
  const after = storageRatePerEpoch((addition.isNewDataSet ? 0n : addition.currentBytes) + addition.addedBytes, prices)
  const rateIncreasePerEpoch = after - before
  const cdnLockup = addition.isNewDataSet && addition.hasCdn ? prices.cdnLockup : 0n
  return {
    fees: calls * prices.addPiecesBaseFee + pieces * prices.addPiecesPerPieceFee + (addition.isNewDataSet ? prices.createDataSetFee : 0n),
    lockup: rateIncreasePerEpoch * prices.lockupPeriodEpochs + (addition.isNewDataSet ? prices.lifecycleReserveTarget : 0n) + cdnLockup,
    cdnLockup,
    rateIncreasePerEpoch,
  }
}

function lacking(needed: bigint, account: SettledAccount, rateIncrease: bigint): bigint {
  const short = needed + account.debt - account.available
  if (short <= 0n) return 0n
  // Nothing drains an account without a running rate, so it needs no margin.
  return account.lockupRate === 0n ? short : short + (account.lockupRate + rateIncrease) * bufferEpochs
}
