import { type AdminCall, openAdminClient, requireConfirmation } from '#cli'
import { deleteUser } from '../user-api.ts'

export async function run(call: AdminCall<{ accessKey: string }, { yes: boolean }>): Promise<undefined> {
  const { accessKey } = call.parameters
  requireConfirmation(call.flags.yes, `deleting the S3 user ${accessKey}`)
  const client = await openAdminClient(call)
  await client.call(deleteUser, { params: { accessKey } })
  call.out.result({ status: 'deleted' }, `S3 user deleted: ${accessKey}`)
}
