import { type AdminCall, openAdminClient } from '#cli'
import { changeCors, showS3Settings } from '../bucket-setting-api.ts'
import { type RulesFlags, readRulesFlags } from './read-rules.ts'
import { corsText } from './setting-text-policy.ts'

export async function run(call: AdminCall<{ bucket: string }, RulesFlags>): Promise<undefined> {
  const params = { name: call.parameters.bucket }
  const body = await readRulesFlags(call, { schema: changeCors.body, command: 'admin bucket cors' })
  const client = await openAdminClient(call)
  if (!body) {
    const { cors_rules: rules } = await client.call(showS3Settings, { params })
    return call.out.result({ rules }, corsText(rules)) as undefined
  }
  const changed = await client.call(changeCors, { params, body })
  call.out.result(changed, `CORS rules changed\n${corsText(changed.rules)}`)
}
