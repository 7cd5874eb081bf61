import { type AdminCall, openAdminClient } from '#cli'
import { retryTask } from '../api.ts'
import { readTaskId } from './read-task-id-policy.ts'

export async function run(call: AdminCall<{ id: string }>): Promise<undefined> {
  const id = readTaskId(call.parameters.id)
  const client = await openAdminClient(call)
  const answer = await client.call(retryTask, { params: { id: String(id) } })
  call.out.result(answer, `Task ${id} ${answer.status}`)
}
