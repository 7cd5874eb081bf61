import { type AdminCall, openAdminClient } from '#cli'
import { confirmSecondFactor } from '../second-factor/second-factor-api.ts'

export async function run(call: AdminCall<{ code: string }>): Promise<undefined> {
  const client = await openAdminClient(call)
  const answer = await client.call(confirmSecondFactor, { body: { code: call.parameters.code } })
  const lines = [
    'Second factor on. Keep what follows: it is not shown again.',
    `Password of scripts (SVC_ADMIN_PASSWORD): ${answer.script_password}`,
    'Recovery codes, each for one sign-in:',
    ...answer.recovery_codes.map((code) => `  ${code}`),
  ]
  call.out.result(answer, lines.join('\n'))
}
