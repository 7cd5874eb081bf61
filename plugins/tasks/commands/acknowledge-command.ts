import { type AdminCall, openAdminClient, usageError } from '#cli'
import { readTime } from '#plugins/admin'
import { acknowledgeTask, acknowledgeTasks } from '../api.ts'
import { readTaskId } from './read-task-id-policy.ts'

type AcknowledgeCall = AdminCall<{ id: string | undefined }, { type: string | undefined; before: string | undefined; yes: boolean }>

export async function run(call: AcknowledgeCall): Promise<undefined> {
  const { id } = call.parameters
  return id === undefined ? dismissAll(call) : dismissOne(call, id)
}

async function dismissOne(call: AcknowledgeCall, text: string): Promise<undefined> {
  const id = readTaskId(text)
  const { type, before } = call.flags
  if (type !== undefined || before !== undefined) throw usageError('an id dismisses one task; --type and --before select from all tasks')
  const client = await openAdminClient(call)
  const answer = await client.call(acknowledgeTask, { params: { id: String(id) } })
  call.out.result(answer, `Task ${id} ${answer.status}`)
}

async function dismissAll(call: AcknowledgeCall): Promise<undefined> {
  const { type, before, yes } = call.flags
  if (before !== undefined && readTime(before) === undefined)
    throw usageError(`--before must be a time such as 2026-01-31T12:00:00Z, got "${before}"`)
  if (!yes) throw usageError('dismissing every failure must be confirmed with --yes; give an id to dismiss one')
  const client = await openAdminClient(call)
  const answer = await client.call(acknowledgeTasks, {
    body: { ...(type === undefined ? {} : { type }), ...(before === undefined ? {} : { failed_before: before }) },
  })
  call.out.result(answer, `${answer.acknowledged} failed ${answer.acknowledged === 1 ? 'task' : 'tasks'} acknowledged`)
}
