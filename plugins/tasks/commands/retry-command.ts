import { openAdminClient } from '#cli'
import type { CommandCall } from '#kernel'
import { retryTask } from '../api.ts'
import { readTaskId } from './read-task-id-policy.ts'

export async function run(call: CommandCall): Promise<undefined> {
  const id = readTaskId(call.parameters.id as string)
  const client = await openAdminClient(call)
  const answer = await client.call(retryTask, { params: { id: String(id) } })
  call.out.result(answer, `Task ${id} ${answer.status}`)
}
