import { type AdminCall, openAdminClient } from '#cli'
import { removeSecondFactor } from '../second-factor/second-factor-api.ts'

export async function run(call: AdminCall<{ code: string }>): Promise<undefined> {
  const client = await openAdminClient(call)
  await client.call(removeSecondFactor, { body: { code: call.parameters.code } })
  call.out.result({ enabled: false }, 'Second factor off. HTTP Basic takes the password of the local admin again.')
}
