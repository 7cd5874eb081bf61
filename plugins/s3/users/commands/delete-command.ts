import { openAdminClient, requireConfirmation } from '#cli'
import type { CommandCall } from '#kernel'
import { deleteUser } from '../user-api.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const accessKey = call.parameters.accessKey as string
  requireConfirmation(call.flags.yes, `deleting the S3 user ${accessKey}`)
  const client = await openAdminClient(call)
  await client.call(deleteUser, { params: { accessKey } })
  call.out.result({ status: 'deleted' }, `S3 user deleted: ${accessKey}`)
}
