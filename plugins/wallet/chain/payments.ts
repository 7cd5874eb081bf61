/** The payment account: balances, allowances, and the calls that change them. */
import { type Address, parseAbi, parseSignature } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import {
  type ApprovalLimits,
  type ApprovalState,
  approvalState,
  differsFromLimits,
  fallsShortOfLimits,
  noNeed,
  type OperatorApproval,
  raisedToLimits,
} from './approval-policy.ts'
import { toChainError } from './chain-error.ts'
import type { Chain } from './clients.ts'
import { judgeVersions } from './contract-version-policy.ts'
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
  withdrawable,
} from './cost-policy.ts'
import { requireAmount } from './plausible-answer.ts'
import { whyNotLowered } from './spending-policy.ts'
import { filecoinPayAbi, usdfcAbi } from './synapse-constants.ts'
import { type PlannedCall, planCall } from './transactions.ts'

/** View contract of FWSS 1.3. */
const priceListAbi = parseAbi([
  'struct Rates { uint256 storagePerTibPerMonth; uint256 datasetFeePerMonth; uint256 cdnEgressPerTib; uint256 cacheMissEgressPerTib; }',
  'struct Fees { uint256 createDataSetFee; uint256 addPiecesBaseFee; uint256 addPiecesPerPieceFee; uint256 schedulePieceRemovalsFee; uint256 terminateFee; }',
  'struct Lockups { uint256 lifecycleReserveTarget; uint256 replenishThreshold; uint256 defaultLockupPeriod; uint256 cdnLockupAmount; uint256 cacheMissLockupAmount; uint256 cdnLockupPeriod; }',
  'struct Prices { address token; Rates rates; Fees fees; Lockups lockups; }',
  'function getPriceList() view returns (Prices list)',
])

const terminationAbi = parseAbi([
  'function terminateService(uint256 dataSetId)',
  'error DataSetPaymentAlreadyTerminated(uint256 dataSetId)',
  'error InvalidDataSetId(uint256 dataSetId)',
  'error CallerNotPayerOrPayee(uint256 dataSetId, address expectedPayer, address expectedPayee, address caller)',
])

interface WalletBalances {
  /** USDFC in the wallet, not deposited; 10^-18. */
  readonly usdfc: bigint
  /** 10^-18 FIL. */
  readonly native: bigint
}

/** The funding request was rejected; the message is for the operator. */
export class FundingRefused extends Error {
  override readonly name = 'FundingRefused'
  readonly reason:
    | 'amount_not_positive'
    | 'wallet_balance_too_low'
    | 'available_funds_too_low'
    | 'contracts_not_supported'
    | 'limits_below_usage'

  constructor(reason: FundingRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

const permitSeconds = 3600
const permitTypes = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

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

/** The payment account at the current epoch. @throws ChainUnreachable */
export async function readAccount(chain: Chain, owner: Address): Promise<SettledAccount> {
  const { filecoinPay, usdfc } = chain.network.contracts
  const [[funds, lockupCurrent, lockupRate, lockupLastSettledAt], epoch] = await Promise.all([
    chain.read({ address: filecoinPay, abi: filecoinPayAbi, functionName: 'accounts', args: [usdfc, owner] }),
    chain.currentEpoch(),
  ])
  for (const amount of [funds, lockupCurrent, lockupRate]) requireAmount(amount, 'a part of the payment account')
  return settleAccount({ funds, lockupCurrent, lockupRate, lockupLastSettledAt }, epoch)
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
  const list = await chain.read({ address: await chain.warmStorageView(), abi: priceListAbi, functionName: 'getPriceList' })
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

interface FundOptions {
  readonly chain: Chain
  readonly account: PrivateKeyAccount
  /** 10^-18 USDFC; 0: approval only. */
  readonly amount: bigint
  /** Allowances that an approval grants. */
  readonly approval: ApprovalLimits
  /** Milliseconds since 1970; the permit expires an hour later. */
  readonly now?: () => number
}

/**
 * Plans one call that deposits `amount` and raises the allowances of the storage service that are below their limits; with amount 0 it sets
 * every allowance to its limit. Null when no call is needed (amount 0 and allowances at their limits).
 * @throws FundingRefused (negative amount, wallet balance too low, unsupported contracts, a limit below the usage), ChainUnreachable
 */
export async function planFunding({ chain, account, amount, approval: limits, now = Date.now }: FundOptions): Promise<PlannedCall | null> {
  if (amount < 0n) throw new FundingRefused('amount_not_positive', 'The amount to deposit must not be negative.')
  const { filecoinPay, usdfc, fwss } = chain.network.contracts
  const [approval, versions] = await Promise.all([readApproval(chain, account.address), chain.contractVersions()])
  const verdict = judgeVersions(versions)
  if (!verdict.isSupported) throw new FundingRefused('contracts_not_supported', verdict.reason)
  if (amount === 0n) {
    if (!differsFromLimits(approval, limits)) return null
    const reason = whyNotLowered(approval, limits)
    if (reason !== undefined) throw new FundingRefused('limits_below_usage', reason)
    const args = [usdfc, fwss, true, ...allowancesOf(limits)] as const
    return planCall({
      what: 'approve the storage service',
      to: filecoinPay,
      abi: filecoinPayAbi,
      functionName: 'setOperatorApproval',
      args,
    })
  }
  const permit = await signPermit({ chain, account, amount, deadline: BigInt(Math.floor(now() / 1000) + permitSeconds) })
  const deposit = [usdfc, account.address, amount, permit.deadline, permit.v, permit.r, permit.s] as const
  return !fallsShortOfLimits(approval, limits)
    ? planCall({ what: 'deposit USDFC', to: filecoinPay, abi: filecoinPayAbi, functionName: 'depositWithPermit', args: deposit })
    : planCall({
        what: 'deposit USDFC and approve the storage service',
        to: filecoinPay,
        abi: filecoinPayAbi,
        functionName: 'depositWithPermitAndApproveOperator',
        args: [...deposit, fwss, ...allowancesOf(raisedToLimits(approval, limits))],
      })
}

/** In the order of the contract's parameters. */
const allowancesOf = ({ ratePerEpoch, lockup, lockupPeriodEpochs }: ApprovalLimits) => [ratePerEpoch, lockup, lockupPeriodEpochs] as const

interface WithdrawOptions extends Pick<FundOptions, 'chain' | 'account'> {
  /** 10^-18 USDFC, or everything that can be withdrawn now. */
  readonly amount: bigint | 'all'
}

/**
 * Plans a withdrawal from the payment account to the wallet. With running costs, those of a few epochs stay in the account: the contract
 * rejects more than is available when the transaction is mined.
 * @throws FundingRefused (not positive, more than can be withdrawn), ChainUnreachable
 */
export async function planWithdrawal({ chain, account, amount: requested }: WithdrawOptions): Promise<PlannedCall> {
  if (requested !== 'all' && requested <= 0n) throw new FundingRefused('amount_not_positive', 'The amount to withdraw must be more than 0.')
  const max = withdrawable(await readAccount(chain, account.address))
  const amount = requested === 'all' ? max : requested
  if (amount > max || amount === 0n) {
    throw new FundingRefused(
      'available_funds_too_low',
      `Only ${max} base units of USDFC can be withdrawn now; the rest is locked or needed for the next epochs.`,
    )
  }
  const { filecoinPay, usdfc } = chain.network.contracts
  return planCall({ what: 'withdraw USDFC', to: filecoinPay, abi: filecoinPayAbi, functionName: 'withdraw', args: [usdfc, amount] })
}

/**
 * Plans the termination of a data set by a transaction of the payer: without fee, but the lockup period is still paid.
 * Only for providers that do not relay a signed termination.
 */
export function planTermination({ chain, dataSetId }: { readonly chain: Chain; readonly dataSetId: bigint }): PlannedCall {
  const what = `end the service of data set ${dataSetId}`
  return planCall({ what, to: chain.network.contracts.fwss, abi: terminationAbi, functionName: 'terminateService', args: [dataSetId] })
}

interface PermitOptions {
  readonly chain: Chain
  readonly account: PrivateKeyAccount
  readonly amount: bigint
  readonly deadline: bigint
}

/** An EIP-2612 permit for FilecoinPay, so that no separate ERC-20 approval is needed. */
async function signPermit({ chain, account, amount, deadline }: PermitOptions) {
  const { usdfc, filecoinPay } = chain.network.contracts
  const token = { address: usdfc, abi: usdfcAbi } as const
  const [balance, nonce, name, version] = await Promise.all([
    chain.read({ ...token, functionName: 'balanceOf', args: [account.address] }),
    chain.read({ ...token, functionName: 'nonces', args: [account.address] }),
    chain.read({ ...token, functionName: 'name' }),
    chain.read({ ...token, functionName: 'version' }),
  ])
  if (balance < amount) {
    throw new FundingRefused(
      'wallet_balance_too_low',
      `The wallet holds ${balance} base units of USDFC, less than the ${amount} to deposit.`,
    )
  }
  const signature = await account.signTypedData({
    domain: { name, version, chainId: chain.network.chainId, verifyingContract: usdfc },
    types: permitTypes,
    primaryType: 'Permit',
    message: { owner: account.address, spender: filecoinPay, value: amount, nonce, deadline },
  })
  const { r, s, yParity } = parseSignature(signature)
  return { deadline, v: yParity + 27, r, s }
}
