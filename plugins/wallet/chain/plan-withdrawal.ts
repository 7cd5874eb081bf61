import type { PrivateKeyAccount } from 'viem/accounts'
import type { Chain } from './clients.ts'
import { withdrawable } from './cost-policy.ts'
import { FundingRefused } from './funding-refused.ts'
import { readAccount } from './payment-account.ts'
import { filecoinPayAbi } from './synapse-constants.ts'
import { type PlannedCall, planCall } from './transactions.ts'
import { formatUsdfc } from './usdfc-amount-policy.ts'

interface WithdrawOptions {
  readonly chain: Chain
  readonly account: Pick<PrivateKeyAccount, 'address'>
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
      `Only ${formatUsdfc(max)} USDFC (${max} base units) can be withdrawn now; the rest is locked or needed for the next epochs.`,
    )
  }
  const { filecoinPay, usdfc } = chain.network.contracts
  return planCall({ what: 'withdraw USDFC', to: filecoinPay, abi: filecoinPayAbi, functionName: 'withdraw', args: [usdfc, amount] })
}
