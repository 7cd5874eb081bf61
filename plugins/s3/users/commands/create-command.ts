import { type AdminCall, openAdminClient } from '#cli'
import type { S3Role } from '../../contract.ts'
import { createUser } from '../user-api.ts'
import { requireConfirmedRole } from './confirmation-policy.ts'
import { formatCredentials } from './user-text-policy.ts'

export async function run(call: AdminCall<unknown, { role: S3Role | undefined; yes: boolean }>): Promise<undefined> {
  const { role, yes } = call.flags
  requireConfirmedRole(role, yes)
  const client = await openAdminClient(call)
  const created = await client.call(createUser, { body: role === undefined ? {} : { role } })
  call.out.result(created, formatCredentials('S3 user created', created))
}
