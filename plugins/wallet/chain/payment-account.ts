/** The payment account: balances, allowances, prices, and what planned work costs. */
import { type Address, parseAbi, type ReadContractReturnType } from 'viem'
import { type ApprovalState, approvalState, noNeed, type OperatorApproval } from './approval-policy.ts'
import { toChainError } from './chain-error.ts'
import type { Chain } from './clients.ts'
import {
  type CostEstimate,
  estimateAdditions,
  estimateRemoval,
  estimateTermination,
  type LifecycleReserve,
  type PlannedAddition,
  type PriceList,
  type SettledAccount,
  settleAccount,
} from './cost-policy.ts'
import { requireAmount } from './plausible-answer.ts'
import { filecoinPayAbi, usdfcAbi } from './synapse-constants.ts'

/** View contract of FWSS 1.3. */
const priceListAbi = parseAbi([
  'struct Rates { uint256 storagePerTibPerMonth; uint256 datasetFeePerMonth; uint256 cdnEgressPerTib; uint256 cacheMissEgressPerTib; }',
  'struct Fees { uint256 createDataSetFee; uint256 addPiecesBaseFee; uint256 addPiecesPerPieceFee; uint256 schedulePieceRemovalsFee; uint256 terminateFee; }',
  'struct Lockups { uint256 lifecycleReserveTarget; uint256 replenishThreshold; uint256 defaultLockupPeriod; uint256 cdnLockupAmount; uint256 cacheMissLockupAmount; uint256 cdnLockupPeriod; }',
  'struct Prices { address token; Rates rates; Fees fees; Lockups lockups; }',
  'function getPriceList() view returns (Prices list)',
])

interface WalletBalances {
  /** USDFC in the wallet, not deposited; 10^-18. */
  readonly usdfc: bigint
  /** 10^-18 FIL. */
  readonly native: bigint
}

/** USDFC and FIL in the wallet. @throws ChainUnreachable */
export async function readBalances(chain: Chain, owner: Address): Promise<WalletBalances> {
  const usdfc = chain.read({ address: chain.network.contracts.usdfc, abi: usdfcAbi, functionName: 'balanceOf', args: [owner] })
  try {
    const [token, native] = await Promise.all([usdfc, chain.publicClient.getBalance({ address: owner })])
    return { usdfc: requireAmount(token, 'the USDFC of the wallet'), native: requireAmount(native, 'the FIL of the wallet') }
  } catch (error) {
    throw toChainError(error, 'read the wallet balance')
  }
}

/** The payment account, settled to the current epoch: it contains all that landed up to there. @throws ChainUnreachable */
export async function readAccount(chain: Chain, owner: Address): Promise<SettledAccount> {
  const { filecoinPay, usdfc } = chain.network.contracts
  // One after the other: read at the same time, the account could be older than the epoch, and miss additions that landed at it (I-52).
  const epoch = await chain.currentEpoch()
  const [funds, lockupCurrent, lockupRate, lockupLastSettledAt] = await chain.read({
    address: filecoinPay,
    abi: filecoinPayAbi,
    functionName: 'accounts',
    args: [usdfc, owner],
  })
  for (const amount of [funds, lockupCurrent, lockupRate]) requireAmount(amount, 'a part of the payment account')
  return settleAccount({ funds, lockupCurrent, lockupRate, lockupLastSettledAt }, epoch)
}

/** The payment account as stored at an epoch, and the prices. For decisions: further nodes must agree. @throws ChainUnreachable */
export async function readMoneyAt(chain: Chain, owner: Address, epoch: bigint): Promise<Pick<FundingView, 'account' | 'prices'>> {
  const { filecoinPay, usdfc } = chain.network.contracts
  const read = chain.readAt(epoch)
  const [[funds, lockupCurrent, lockupRate, lockupLastSettledAt], list] = await Promise.all([
    read({ address: filecoinPay, abi: filecoinPayAbi, functionName: 'accounts', args: [usdfc, owner] }),
    read({ address: await chain.warmStorageView(), abi: priceListAbi, functionName: 'getPriceList' }),
  ])
  for (const amount of [funds, lockupCurrent, lockupRate]) requireAmount(amount, 'a part of the payment account')
  return { account: settleAccount({ funds, lockupCurrent, lockupRate, lockupLastSettledAt }, epoch), prices: toPriceList(list) }
}

/** Allowances of the storage service on the account. @throws ChainUnreachable */
export async function readApproval(chain: Chain, owner: Address): Promise<OperatorApproval> {
  const { filecoinPay, usdfc, fwss } = chain.network.contracts
  const [isApproved, rateAllowance, lockupAllowance, rateUsage, lockupUsage, maxLockupPeriod] = await chain.read({
    address: filecoinPay,
    abi: filecoinPayAbi,
    functionName: 'operatorApprovals',
    args: [usdfc, owner, fwss],
  })
  return { isApproved, rateAllowance, lockupAllowance, rateUsage, lockupUsage, maxLockupPeriod }
}

/** Current prices. @throws ChainUnreachable, ChainReverted (FWSS older than 1.3) */
async function readPriceList(chain: Chain): Promise<PriceList> {
  return toPriceList(await chain.read({ address: await chain.warmStorageView(), abi: priceListAbi, functionName: 'getPriceList' }))
}

function toPriceList(list: ReadContractReturnType<typeof priceListAbi, 'getPriceList'>): PriceList {
  const { token: _, ...parts } = list
  for (const amount of Object.values(parts).flatMap((part) => Object.values(part))) requireAmount(amount, 'a price')
  return {
    storagePerTibPerMonth: list.rates.storagePerTibPerMonth,
    dataSetFeePerMonth: list.rates.datasetFeePerMonth,
    createDataSetFee: list.fees.createDataSetFee,
    addPiecesBaseFee: list.fees.addPiecesBaseFee,
    addPiecesPerPieceFee: list.fees.addPiecesPerPieceFee,
    schedulePieceRemovalsFee: list.fees.schedulePieceRemovalsFee,
    terminateFee: list.fees.terminateFee,
    lifecycleReserveTarget: list.lockups.lifecycleReserveTarget,
    replenishThreshold: list.lockups.replenishThreshold,
    lockupPeriodEpochs: list.lockups.defaultLockupPeriod,
    cdnLockup: list.lockups.cdnLockupAmount + list.lockups.cacheMissLockupAmount,
  }
}

export interface FundingView {
  readonly account: SettledAccount
  readonly approval: OperatorApproval
  /** For the current usage, without further work. */
  readonly approvalState: ApprovalState
  readonly prices: PriceList
}

/** Account, approval and prices in one round of reads. @throws ChainUnreachable */
export async function readFunding(chain: Chain, owner: Address): Promise<FundingView> {
  const [account, approval, prices] = await Promise.all([readAccount(chain, owner), readApproval(chain, owner), readPriceList(chain)])
  return { account, approval, approvalState: approvalState(approval, noNeed, prices.lockupPeriodEpochs), prices }
}

type PlannedWork =
  | { readonly kind: 'additions'; readonly additions: readonly PlannedAddition[] }
  /** One call that schedules removals, or one relayed termination. `reserve`: that of the data set. */
  | { readonly kind: 'removal' | 'termination'; readonly reserve: LifecycleReserve }

export interface WorkEstimate extends CostEstimate {
  /** True when the work can start now: no deposit needed, and the service approved. */
  readonly ready: boolean
  readonly approvalState: ApprovalState
}

/** Cost of planned work, and whether the account can pay for it now. Pure; takes the result of `readFunding`. */
export function estimateCost(work: PlannedWork, { account, prices, approval }: FundingView): WorkEstimate {
  const cost = costOf(work, prices, account)
  const state = approvalState(approval, cost.approvalNeed, prices.lockupPeriodEpochs)
  return { ...cost, approvalState: state, ready: cost.depositNeeded === 0n && state.approved }
}

function costOf(work: PlannedWork, prices: PriceList, account: SettledAccount): CostEstimate {
  switch (work.kind) {
    case 'additions':
      return estimateAdditions(work.additions, prices, account)
    case 'removal':
      return estimateRemoval(work.reserve, prices, account)
    case 'termination':
      return estimateTermination(work.reserve, prices, account)
  }
}
