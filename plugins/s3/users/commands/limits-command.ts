import { type AdminCall, openAdminClient, usageError } from '#cli'
import { changeLimits, listUsers, showTotals } from '../user-api.ts'
import { type LimitFlags, readLimits } from './limits-policy.ts'
import { formatLimits, formatTotals } from './user-text-policy.ts'

export async function run(call: AdminCall<{ accessKey: string | undefined }, LimitFlags>): Promise<undefined> {
  const { accessKey } = call.parameters
  const changes = readLimits(call.flags)
  const isChange = Object.keys(changes).length > 0
  if (isChange && accessKey === undefined) throw usageError('name the S3 user whose limits change; total limits are settings (s3.limits)')
  const client = await openAdminClient(call)
  if (accessKey === undefined) {
    const totals = await client.call(showTotals)
    return call.out.result(totals, formatTotals(totals)) as undefined
  }
  if (isChange) {
    const changed = await client.call(changeLimits, { params: { accessKey }, body: changes })
    return call.out.result(changed, formatLimits(changed)) as undefined
  }
  const user = (await client.call(listUsers)).find(({ access_key }) => access_key === accessKey)
  if (user === undefined) throw usageError(`there is no S3 user ${accessKey}; svc admin s3-user list shows them`)
  call.out.result(user, formatLimits(user))
}
