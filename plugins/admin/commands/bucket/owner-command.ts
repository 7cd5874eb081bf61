import { openAdminClient } from '#cli'
import type { CommandCall } from '#kernel'
import { changeOwner } from '../../buckets/bucket-api.ts'
import { changeText } from './bucket-text-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const { bucket, accessKey } = call.parameters as { readonly bucket: string; readonly accessKey: string }
  const client = await openAdminClient(call)
  const changed = await client.call(changeOwner, { params: { name: bucket }, body: { owner_access_key: accessKey } })
  call.out.result(changed, `Owner changed\n${changeText(changed)}`)
}
