import { type AdminCall, openAdminClient } from '#cli'
import { changeOwner } from '../../buckets/bucket-api.ts'
import { changeText } from './bucket-text-policy.ts'

export async function run(call: AdminCall<{ bucket: string; accessKey: string }>): Promise<undefined> {
  const { bucket, accessKey } = call.parameters
  const client = await openAdminClient(call)
  const changed = await client.call(changeOwner, { params: { name: bucket }, body: { owner_access_key: accessKey } })
  call.out.result(changed, `Owner changed\n${changeText(changed)}`)
}
