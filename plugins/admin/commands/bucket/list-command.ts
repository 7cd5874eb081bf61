import { openAdminClient } from '#cli'
import type { CommandCall } from '#kernel'
import { listBuckets } from '../../buckets/bucket-api.ts'
import { bucketTable } from './bucket-text-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const buckets = await client.call(listBuckets)
  call.out.result(buckets, bucketTable(buckets))
}
