import type { CommandCall } from '#kernel'
import { requireConfirmed, sendFunding } from './send-funding.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const end = await sendFunding(call, 0n)
  const isAlreadyApproved = end.hash === undefined
  const status = `Status: ${end.isConfirmed ? 'confirmed' : 'submitted'}`
  call.out.result(
    { tx_hash: end.hash, confirmed: end.isConfirmed, already_approved: isAlreadyApproved },
    isAlreadyApproved ? 'FWSS approval: already approved' : status,
  )
  requireConfirmed(end, call.flags.timeout as number)
}
