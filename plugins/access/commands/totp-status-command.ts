import { type AdminCall, openAdminClient } from '#cli'
import { showSecondFactor } from '../second-factor/second-factor-api.ts'

export async function run(call: AdminCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const answer = await client.call(showSecondFactor)
  call.out.result(answer, answer.enabled ? `Second factor: on\nRecovery codes left: ${answer.recovery_codes_left}` : 'Second factor: off')
}
