import { type AdminCall, openAdminClient } from '#cli'
import type { S3Role } from '../../contract.ts'
import { changeRole } from '../user-api.ts'
import { requireConfirmedRole } from './confirmation-policy.ts'
import { formatUsers } from './user-text-policy.ts'

export async function run(call: AdminCall<{ accessKey: string }, { role: S3Role; yes: boolean }>): Promise<undefined> {
  const { role, yes } = call.flags
  requireConfirmedRole(role, yes)
  const client = await openAdminClient(call)
  const changed = await client.call(changeRole, { params: { accessKey: call.parameters.accessKey }, body: { role } })
  call.out.result(changed, formatUsers([changed]))
}
