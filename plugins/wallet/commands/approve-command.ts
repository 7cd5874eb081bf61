import type { CommandCall } from '#kernel'
import { type FundingFlags, requireConfirmed, sendFunding } from './send-funding.ts'

export async function run(call: CommandCall<unknown, FundingFlags>): Promise<undefined> {
  const outcome = await sendFunding(call, 0n)
  const isAlreadyApproved = outcome.hash === undefined
  const status = `Status: ${outcome.isConfirmed ? 'confirmed' : 'submitted'}`
  call.out.result(
    { tx_hash: outcome.hash, confirmed: outcome.isConfirmed, already_approved: isAlreadyApproved },
    isAlreadyApproved ? 'FWSS approval: already approved' : status,
  )
  requireConfirmed(outcome, call.flags.timeout)
}
