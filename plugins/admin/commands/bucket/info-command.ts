import { type AdminCall, openAdminClient } from '#cli'
import { showBucket } from '../../buckets/bucket-api.ts'
import { bucketText } from './bucket-text-policy.ts'

export async function run(call: AdminCall<{ bucket: string }>): Promise<undefined> {
  const client = await openAdminClient(call)
  const bucket = await client.call(showBucket, { params: { name: call.parameters.bucket } })
  call.out.result(bucket, bucketText(bucket))
}
