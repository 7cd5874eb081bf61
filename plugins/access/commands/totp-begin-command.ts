import { type AdminCall, openAdminClient } from '#cli'
import { beginSecondFactor } from '../second-factor/second-factor-api.ts'

export async function run(call: AdminCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const answer = await client.call(beginSecondFactor, { body: {} })
  const lines = [
    `Secret: ${answer.secret}`,
    `Address: ${answer.uri}`,
    'Enter one of them in the app, then run svc admin totp confirm <code>.',
  ]
  call.out.result(answer, lines.join('\n'))
}
