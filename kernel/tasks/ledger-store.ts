import type { Reader, SqlValue, Tx } from '../db/database.ts'
import type { ListTasks, TaskCount } from './ledger.ts'
import { countTask, type TaskRecord, type TaskStatus, taskColumns } from './task-record.ts'

export function findTask(reader: Reader, id: number): TaskRecord | undefined {
  return reader.get<TaskRecord>(`select ${taskColumns} from tasks where id = ?`, id)
}

/** Newest first, by range scans over the filter's index. `hiddenKinds` are left out unless they failed. */
export function listTasks(
  reader: Reader,
  { kind, status, before, limit }: ListTasks,
  hiddenKinds: readonly string[],
): readonly TaskRecord[] {
  const where = ['id < ?']
  const params: SqlValue[] = [before ?? Number.MAX_SAFE_INTEGER]
  if (kind !== undefined) {
    where.push('kind = ?')
    params.push(kind)
  }
  if (status !== undefined) {
    where.push('status = ?')
    params.push(status === 'dismissed' ? 'failed' : status)
    if (status === 'failed') where.push('acknowledged_at is null')
    if (status === 'dismissed') where.push('acknowledged_at is not null')
  }
  where.push("(status = 'failed' or kind not in (select value from json_each(?)))")
  return reader.all<TaskRecord>(
    `select ${taskColumns} from tasks where ${where.join(' and ')} order by id desc limit ?`,
    ...params,
    JSON.stringify(hiddenKinds),
    limit,
  )
}

export function readCounts(reader: Reader, hiddenKinds: readonly string[]): readonly TaskCount[] {
  const rows = reader.all<{ kind: string; status: TaskStatus; acknowledged: number; n: number }>(
    'select kind, status, acknowledged, n from task_counts where n > 0 order by kind, status',
  )
  return rows
    .filter(({ kind, status }) => status === 'failed' || !hiddenKinds.includes(kind))
    .map(({ kind, status, acknowledged, n }) => ({
      kind,
      status: status === 'failed' && acknowledged === 1 ? 'dismissed' : status,
      count: n,
    }))
}

/** failed → pending, from the start. False when another task with its key is already on its way. */
export function reviveTask(tx: Tx, task: TaskRecord, nowMs: number): boolean {
  if (task.key !== null && tx.get("select 1 from tasks where key = ? and status in ('pending', 'running')", task.key)) return false
  tx.run(
    `update tasks set status = 'pending', run_at = ?, attempts = 0, is_backing_off = 0, wait_reason = null, message = null, error_code = null, last_error = null,
     failed_at = null, finished_at = null, acknowledged_at = null, updated_at = ? where id = ?`,
    nowMs,
    nowMs,
    task.id,
  )
  countTask(tx, task.kind, { status: 'failed', isAcknowledged: task.acknowledgedAtMs !== null }, -1)
  countTask(tx, task.kind, { status: 'pending' }, 1)
  return true
}

export function acknowledgeTask(tx: Tx, task: TaskRecord, nowMs: number): void {
  tx.run('update tasks set acknowledged_at = ?, updated_at = ? where id = ?', nowMs, nowMs, task.id)
  countTask(tx, task.kind, { status: 'failed' }, -1)
  countTask(tx, task.kind, { status: 'failed', isAcknowledged: true }, 1)
}

/** Failures not yet acknowledged that were recorded strictly before the moment, by kind. */
export function countFailures(
  reader: Reader,
  kind: string | undefined,
  beforeMs: number,
): readonly { readonly kind: string; readonly n: number }[] {
  return reader.all(
    "select kind, count(*) as n from tasks where status = 'failed' and acknowledged_at is null and failed_at < ? and (? is null or kind = ?) group by kind",
    beforeMs,
    kind ?? null,
    kind ?? null,
  )
}

export function acknowledgeFailures(tx: Tx, kind: string | undefined, at: { readonly beforeMs: number; readonly nowMs: number }): number {
  let acknowledged = 0
  for (const { kind: found, n } of countFailures(tx, kind, at.beforeMs)) {
    tx.run(
      "update tasks set acknowledged_at = ?, updated_at = ? where kind = ? and status = 'failed' and acknowledged_at is null and failed_at < ?",
      at.nowMs,
      at.nowMs,
      found,
      at.beforeMs,
    )
    tx.run("update task_counts set n = n - ? where kind = ? and status = 'failed' and acknowledged = 0", n, found)
    tx.run(
      "insert into task_counts (kind, status, acknowledged, n) values (?, 'failed', 1, ?) on conflict (kind, status, acknowledged) do update set n = n + excluded.n",
      found,
      n,
    )
    acknowledged += n
  }
  return acknowledged
}

/** Deletes up to `limit` ended tasks: finished, or acknowledged, before the moment. */
export function deleteExpired(tx: Tx, beforeMs: number, limit: number): number {
  const rows = tx.all<{ id: number; kind: string; status: TaskStatus }>(
    `select id, kind, status from tasks where status in ('completed', 'cancelled', 'failed') and finished_at < ?
     and (status <> 'failed' or acknowledged_at < ?) order by finished_at limit ?`,
    beforeMs,
    beforeMs,
    limit,
  )
  for (const { id, kind, status } of rows) {
    tx.run('delete from tasks where id = ?', id)
    countTask(tx, kind, { status, isAcknowledged: status === 'failed' }, -1)
  }
  return rows.length
}
