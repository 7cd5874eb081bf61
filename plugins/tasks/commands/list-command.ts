import { type AdminCall, formatTable, openAdminClient, showResult } from '#cli'
import { listTasks, type Task } from '../api.ts'

interface ListFlags {
  readonly type: string | undefined
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled' | 'dismissed' | undefined
  readonly limit: number | undefined
  readonly cursor: number | undefined
  readonly watch: boolean
}

export async function run(call: AdminCall<unknown, ListFlags>): Promise<undefined> {
  const { type, status, limit, cursor } = call.flags
  const client = await openAdminClient(call)
  const query = {
    ...(type === undefined ? {} : { type }),
    ...(status === undefined ? {} : { status }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(cursor === undefined ? {} : { cursor: String(cursor) }),
  }
  await showResult(call, async () => {
    const page = await client.call(listTasks, { query })
    const table = page.tasks.length === 0 ? 'No tasks found.' : formatTable(header, page.tasks.map(toRow))
    const more = page.next_cursor === undefined ? [] : [`More: --cursor ${page.next_cursor}`]
    return { value: page, text: [table, ...more].join('\n') }
  })
}

const header = ['id', 'operation', 'status', 'retries', 'subject', 'available', 'details']

function toRow(task: Task): readonly string[] {
  const retries = task.retry_limit === undefined ? String(task.retry_count) : `${task.retry_count}/${task.retry_limit}`
  const details = task.status_message ?? task.last_error ?? ''
  const { type, key } = task.subject
  return [String(task.id), task.operation, task.presentation_status, retries, `${type}:${key}`, task.available_at, details]
}
