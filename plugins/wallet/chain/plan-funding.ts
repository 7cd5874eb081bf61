import { parseSignature } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { type ApprovalLimits, differsFromLimits, fallsShortOfLimits, raisedToLimits } from './approval-policy.ts'
import type { Chain } from './clients.ts'
import { judgeVersions } from './contract-version-policy.ts'
import { FundingRefused } from './funding-refused.ts'
import { readApproval } from './payment-account.ts'
import { whyNotLowered } from './spending-policy.ts'
import { filecoinPayAbi, usdfcAbi } from './synapse-constants.ts'
import { type PlannedCall, planCall } from './transactions.ts'

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

/** Sorts them as the contract's parameters. */
const allowancesOf = ({ ratePerEpoch, lockup, lockupPeriodEpochs }: ApprovalLimits) => [ratePerEpoch, lockup, lockupPeriodEpochs] as const

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
