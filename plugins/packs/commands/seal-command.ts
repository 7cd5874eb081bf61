import { type AdminCall, openAdminClient } from '#cli'
import { sealPacks } from '../shown/pack-api.ts'

export async function run(call: AdminCall<{ bucket: string }, unknown>): Promise<undefined> {
  const client = await openAdminClient(call)
  const answer = await client.call(sealPacks, { body: { bucket: call.parameters.bucket } })
  const text =
    answer.contents === 0 ? `Nothing waits in ${answer.bucket}.` : `${answer.contents} objects of ${answer.bucket} are being sealed.`
  call.out.result(answer, text)
}
