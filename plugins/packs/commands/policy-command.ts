import { type AdminCall, openAdminClient, usageError } from '#cli'
import { changePacking } from '../shown/pack-api.ts'

export async function run(call: AdminCall<{ bucket: string; packing: string }, unknown>): Promise<undefined> {
  const { bucket, packing } = call.parameters
  if (packing !== 'small' && packing !== 'off') throw usageError(`"${packing}" is no packing; use small or off`)
  const client = await openAdminClient(call)
  const answer = await client.call(changePacking, { body: { bucket, packing } })
  call.out.result(answer, `Packing of ${answer.bucket}: ${answer.packing}. It applies to new objects.`)
}
