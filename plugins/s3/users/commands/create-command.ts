import { openAdminClient } from '#cli'
import type { CommandCall } from '#kernel'
import type { S3Role } from '../../contract.ts'
import { createUser } from '../user-api.ts'
import { requireConfirmedRole } from './confirmation-policy.ts'
import { formatCredentials } from './user-text-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const { role, yes } = call.flags as { readonly role?: S3Role; readonly yes?: boolean }
  requireConfirmedRole(role, yes)
  const client = await openAdminClient(call)
  const created = await client.call(createUser, { body: role === undefined ? {} : { role } })
  call.out.result(created, formatCredentials('S3 user created', created))
}
