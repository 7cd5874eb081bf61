import { type AdminCall, openAdminClient, requireConfirmation } from '#cli'
import { changeLifecycle, showS3Settings } from '../bucket-setting-api.ts'
import { newDeletions } from './lifecycle-deletions.ts'
import { describeRule, lifecycleText } from './lifecycle-text-policy.ts'
import { type RulesFlags, readRulesFlags } from './read-rules.ts'

export async function run(call: AdminCall<{ bucket: string }, RulesFlags & { yes: boolean }>): Promise<undefined> {
  const params = { name: call.parameters.bucket }
  const body = await readRulesFlags(call, { schema: changeLifecycle.body, command: 'admin bucket lifecycle' })
  const client = await openAdminClient(call)
  const show = () => client.call(showS3Settings, { params })
  if (!body) {
    const settings = await show()
    const rules = settings.lifecycle_rules
    return call.out.result({ rules }, lifecycleText(rules, settings)) as undefined
  }
  if (!call.flags.yes && body.rules.length > 0) {
    const [first, ...others] = newDeletions(body.rules, (await show()).lifecycle_rules)
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    if (first) requireConfirmation(false, `the deletions in ${params.name} by ${describeRule(first)}${more}`)
  }
  const changed = await client.call(changeLifecycle, { params, body })
  call.out.result(changed, `Lifecycle rules changed\n${lifecycleText(changed.rules)}`)
}
