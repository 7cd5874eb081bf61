import { type AdminCall, openAdminClient } from '#cli'
import { listUsers } from '../user-api.ts'
import { formatUsers } from './user-text-policy.ts'

export async function run(call: AdminCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const users = await client.call(listUsers)
  call.out.result(users, users.length === 0 ? 'No S3 users found.' : formatUsers(users))
}
