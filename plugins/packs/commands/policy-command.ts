import { type AdminCall, openAdminClient, usageError } from '#cli'
import { changePacking } from '../shown/pack-api.ts'

interface PolicyFlags {
  readonly 'erase-within-days': number | undefined
}

export async function run(call: AdminCall<{ bucket: string; packing: string }, PolicyFlags>): Promise<undefined> {
  const { bucket, packing } = call.parameters
  if (packing !== 'small' && packing !== 'off') throw usageError(`invalid packing "${packing}"; use small or off`)
  const client = await openAdminClient(call)
  const days = call.flags['erase-within-days']
  const answer = await client.call(changePacking, { body: { bucket, packing, ...(days !== undefined && { erase_within_days: days }) } })
  const erased = answer.erase_within_days
  const erasure =
    erased === 0
      ? 'Bytes of deleted objects stay in shared pieces until it pays to remove them.'
      : `Bytes of deleted objects leave shared pieces within ${erased} ${erased === 1 ? 'day' : 'days'}.`
  call.out.result(answer, `Packing of ${answer.bucket}: ${answer.packing}. It applies to new objects. ${erasure}`)
}
