import { openAdminClient } from '#cli'
import type { CommandCall } from '#kernel'
import { showBucket } from '../../buckets/bucket-api.ts'
import { bucketText } from './bucket-text-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const bucket = await client.call(showBucket, { params: { name: call.parameters.bucket as string } })
  call.out.result(bucket, bucketText(bucket))
}
