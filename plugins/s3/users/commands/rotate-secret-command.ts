import { openAdminClient } from '#cli'
import type { CommandCall } from '#kernel'
import { rotateSecret } from '../user-api.ts'
import { formatCredentials } from './user-text-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const rotated = await client.call(rotateSecret, { params: { accessKey: call.parameters.accessKey as string }, body: {} })
  call.out.result(rotated, formatCredentials('S3 user secret rotated', rotated))
}
