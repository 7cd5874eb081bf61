import { type AdminCall, openAdminClient } from '#cli'
import { endListedSession } from '../sessions/session-api.ts'

export async function run(call: AdminCall<{ id: string }>): Promise<undefined> {
  const { id } = call.parameters
  const client = await openAdminClient(call)
  await client.call(endListedSession, { params: { id } })
  call.out.result({ id, status: 'ended' }, `Session ${id} ended`)
}
