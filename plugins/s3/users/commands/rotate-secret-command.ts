import { type AdminCall, openAdminClient } from '#cli'
import { rotateSecret } from '../user-api.ts'
import { formatCredentials } from './user-text-policy.ts'

export async function run(call: AdminCall<{ accessKey: string }>): Promise<undefined> {
  const client = await openAdminClient(call)
  const rotated = await client.call(rotateSecret, { params: { accessKey: call.parameters.accessKey }, body: {} })
  call.out.result(rotated, formatCredentials('S3 user secret rotated', rotated))
}
