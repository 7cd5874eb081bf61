import { type AdminCall, openAdminClient } from '#cli'
import { listBuckets } from '../../buckets/bucket-api.ts'
import { bucketTable } from './bucket-text-policy.ts'

export async function run(call: AdminCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const buckets = await client.call(listBuckets)
  call.out.result(buckets, bucketTable(buckets))
}
