import { type AdminCall, formatFacts, openAdminClient } from '#cli'
import { readWallet, type WalletSummary } from '../account/account-api.ts'
import { formatUsdfc } from '../chain/usdfc-amount-policy.ts'

/** The service waits up to 15 s for the chain, longer than the default of --timeout. */
const answerMsMin = 20_000

export async function run(call: AdminCall): Promise<undefined> {
  const timeout = Math.max(call.flags.timeout, answerMsMin)
  const client = await openAdminClient({ ...call, flags: { ...call.flags, timeout } })
  const wallet = await client.call(readWallet)
  call.out.result(wallet, walletText(wallet))
}

/** FIL has as many decimals as USDFC. */
const shown = (amount: string | null | undefined, unit: string) => (amount ? `${formatUsdfc(BigInt(amount))} ${unit}` : amount && unit)

function walletText({
  configured,
  identity,
  chain,
  wallet_balances,
  payment_account: account,
  contracts,
  partial_errors = {},
}: WalletSummary) {
  if (!configured) return 'The service has no wallet.'
  const approval = contracts?.approval
  const failures = Object.entries(partial_errors).map(([part, reason]) => `  ${part}: ${reason}`)
  const lines = formatFacts([
    ['Runway', account ? runwayOf(account) : 'unknown'],
    ['For 90 more days', account?.no_active_spend ? undefined : shown(account?.deposit_for_90_days, 'USDFC')],
    ['Deposit', shown(account?.funds, 'USDFC')],
    ['Available', shown(account?.available_funds, 'USDFC')],
    ['Can be withdrawn', shown(account?.withdrawable_funds, 'USDFC')],
    ['Costs per 30 days', shown(account?.lockup_rate_per_month, 'USDFC')],
    ['Wallet', identity?.address],
    ['Wallet USDFC', shown(wallet_balances?.usdfc, 'USDFC')],
    ['Wallet gas', shown(wallet_balances?.fil_gas, 'FIL')],
    ['Approval of the storage service', approval && (approval.approved ? 'approved' : 'missing; run svc admin wallet approve')],
    ['Network', chain && `${chain.network} (chain ${chain.chain_id}, epoch ${chain.current_epoch ?? 'unknown'})`],
  ])
  return failures.length === 0 ? lines : [lines, '', 'Reads without an answer', ...failures].join('\n')
}

function runwayOf({ no_active_spend, runway_days = 0, funded_until_time }: NonNullable<WalletSummary['payment_account']>): string {
  if (no_active_spend) return 'no running costs'
  return `${runway_days} days${funded_until_time === undefined ? '' : `, until ${funded_until_time}`}`
}
