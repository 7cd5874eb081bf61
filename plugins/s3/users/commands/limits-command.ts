import { openAdminClient, usageError } from '#cli'
import type { CommandCall } from '#kernel'
import { changeLimits, listUsers } from '../user-api.ts'
import { readLimits } from './limits-policy.ts'
import { formatLimits } from './user-text-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const accessKey = call.parameters.accessKey as string
  const changes = readLimits(call.flags)
  const client = await openAdminClient(call)
  if (Object.keys(changes).length > 0) {
    const changed = await client.call(changeLimits, { params: { accessKey }, body: changes })
    return call.out.result(changed, formatLimits(changed)) as undefined
  }
  const user = (await client.call(listUsers)).find(({ access_key }) => access_key === accessKey)
  if (user === undefined) throw usageError(`there is no S3 user ${accessKey}; svc admin s3-user list shows them`)
  call.out.result(user, formatLimits(user))
}
