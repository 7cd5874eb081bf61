import { type AdminCall, openAdminClient } from '#cli'
import { createBucket } from '../../buckets/bucket-api.ts'
import { changeText } from './bucket-text-policy.ts'
import { type CopiesFlags, readCopies } from './read-copies-policy.ts'

export async function run(call: AdminCall<{ bucket: string }, CopiesFlags & { owner: string }>): Promise<undefined> {
  const policy = readCopies(call.flags)
  const client = await openAdminClient(call)
  const created = await client.call(createBucket, { body: { name: call.parameters.bucket, owner_access_key: call.flags.owner, ...policy } })
  call.out.result(created, `Bucket created\n${changeText(created)}`)
}
