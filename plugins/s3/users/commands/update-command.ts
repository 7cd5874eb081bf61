import { openAdminClient } from '#cli'
import type { CommandCall } from '#kernel'
import type { S3Role } from '../../contract.ts'
import { changeRole } from '../user-api.ts'
import { requireConfirmedRole } from './confirmation-policy.ts'
import { formatUsers } from './user-text-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const { role, yes } = call.flags as { readonly role: S3Role; readonly yes?: boolean }
  requireConfirmedRole(role, yes)
  const client = await openAdminClient(call)
  const changed = await client.call(changeRole, { params: { accessKey: call.parameters.accessKey as string }, body: { role } })
  call.out.result(changed, formatUsers([changed]))
}
