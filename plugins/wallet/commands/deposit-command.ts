import { usageError } from '#cli'
import type { CommandCall } from '#kernel'
import { parseUsdfc } from '../funding/usdfc-amount-policy.ts'
import { type FundingFlags, requireConfirmed, sendFunding } from './send-funding.ts'

export async function run(call: CommandCall<{ amount: string }, FundingFlags>): Promise<undefined> {
  const text = call.parameters.amount
  const amount = parseUsdfc(text)
  if (!amount.isValid) throw usageError(`the amount ${amount.reason}, got "${text}"`)
  const outcome = await sendFunding(call, amount.baseUnits)
  call.out.result({ tx_hash: outcome.hash, confirmed: outcome.isConfirmed }, `Status: ${outcome.isConfirmed ? 'confirmed' : 'submitted'}`)
  requireConfirmed(outcome, call.flags.timeout)
}
