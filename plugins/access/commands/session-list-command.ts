import { type AdminCall, formatTable, openAdminClient } from '#cli'
import { listSessions } from '../sessions/session-api.ts'

export async function run(call: AdminCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const answer = await client.call(listSessions)
  const rows = answer.sessions.map(({ id, username, role, how, client, seen_at, expires_at }) => [
    ...[id, username, role, how, client],
    ...[seen_at, expires_at],
  ])
  const header = ['id', 'user', 'role', 'signed in by', 'client', 'last request', 'expires']
  call.out.result(answer, rows.length === 0 ? 'No session sent a request since the service started.' : formatTable(header, rows))
}
