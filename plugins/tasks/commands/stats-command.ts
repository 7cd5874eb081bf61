import { type AdminCall, formatTable, openAdminClient } from '#cli'
import { taskStats } from '../api.ts'

export async function run(call: AdminCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const stats = await client.call(taskStats)
  const rows = stats.map(({ type, status, count }) => [type, status, String(count)])
  call.out.result(stats, rows.length === 0 ? 'No tasks found.' : formatTable(['type', 'status', 'count'], rows))
}
