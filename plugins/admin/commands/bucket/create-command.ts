import { openAdminClient } from '#cli'
import type { CommandCall } from '#kernel'
import { createBucket } from '../../buckets/bucket-api.ts'
import { changeText } from './bucket-text-policy.ts'
import { readCopies } from './read-copies-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const policy = readCopies(call.flags)
  const { owner = '__internal_root__' } = call.flags as { readonly owner?: string }
  const client = await openAdminClient(call)
  const created = await client.call(createBucket, { body: { name: call.parameters.bucket as string, owner_access_key: owner, ...policy } })
  call.out.result(created, `Bucket created\n${changeText(created)}`)
}
