import { type AdminCall, openAdminClient, requireConfirmation } from '#cli'
import { type BucketChange, changeCopyPolicy, showBucket } from '../../buckets/bucket-api.ts'
import { changeText } from './bucket-text-policy.ts'
import { type CopiesFlags, readCopies } from './read-copies-policy.ts'

export async function run(call: AdminCall<{ bucket: string }, CopiesFlags & { yes: boolean }>): Promise<undefined> {
  const name = call.parameters.bucket
  const policy = readCopies(call.flags)
  const isChange = Object.keys(policy).length > 0
  const client = await openAdminClient(call)
  const show = () => client.call(showBucket, { params: { name } })
  const { minimum_durable_copies: minimum } = policy
  if (!isChange || (minimum !== undefined && !call.flags.yes)) {
    const bucket = await show()
    if (!isChange) return call.out.result(policyOf(bucket), changeText(bucket)) as undefined
    const current = bucket.minimum_durable_copies
    if (minimum !== undefined && minimum < current) {
      requireConfirmation(call.flags.yes, `lowering the minimum of copies of ${name} from ${current} to ${minimum}`)
    }
  }
  const changed = await client.call(changeCopyPolicy, { params: { name }, body: policy })
  call.out.result(changed, `Copy policy changed\n${changeText(changed)}`)
}

/** The members that a change answers with, so that showing and changing print the same. */
const policyOf = ({ id, name, owner_access_key, default_copies, minimum_durable_copies, status }: BucketChange): BucketChange => ({
  id,
  name,
  owner_access_key,
  default_copies,
  minimum_durable_copies,
  status,
})
