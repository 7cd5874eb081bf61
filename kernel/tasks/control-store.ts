import type { Reader, Tx } from '../db/database.ts'
import type { FailuresBefore } from './task-control.ts'
import { countTask, type TaskRecord, taskColumns } from './task-record.ts'

export function findTask(reader: Reader, id: number): TaskRecord | undefined {
  return reader.get<TaskRecord>(`select ${taskColumns} from tasks where id = ?`, id)
}

/** failed → pending, with all attempts. Undefined when a newer task with its key is open. */
export function reviveTask(tx: Tx, task: TaskRecord, nowMs: number): TaskRecord | undefined {
  if (task.key !== null && tx.get("select 1 from tasks where key = ? and status in ('pending', 'running')", task.key)) return undefined
  tx.run(
    `update tasks set status = 'pending', run_at = ?, attempts = 0, is_backing_off = 0, wait_reason = null, message = null, error_code = null, last_error = null,
     failed_at = null, finished_at = null, acknowledged_at = null, updated_at = ? where id = ?`,
    nowMs,
    nowMs,
    task.id,
  )
  countTask(tx, task.kind, { status: 'failed', isAcknowledged: task.acknowledgedAtMs !== null }, -1)
  countTask(tx, task.kind, { status: 'pending' }, 1)
  return findTask(tx, task.id)
}

export function acknowledgeTask(tx: Tx, task: TaskRecord, nowMs: number): void {
  tx.run('update tasks set acknowledged_at = ?, updated_at = ? where id = ?', nowMs, nowMs, task.id)
  countTask(tx, task.kind, { status: 'failed' }, -1)
  countTask(tx, task.kind, { status: 'failed', isAcknowledged: true }, 1)
}

const acknowledgeSql = (ofKind: string) =>
  `update tasks set acknowledged_at = ?, updated_at = ? where id in (
     select id from tasks where status = 'failed' and acknowledged_at is null and failed_at < ? ${ofKind} order by failed_at limit ?)
   returning kind`
const acknowledge = { any: acknowledgeSql(''), ofKind: acknowledgeSql('and kind = ?') }

/** Acknowledges failures, oldest first, and returns their number. */
export function acknowledgeFailures(tx: Tx, { kind, beforeMs, limit }: FailuresBefore, nowMs: number): number {
  const rows =
    kind === undefined
      ? tx.all<{ kind: string }>(acknowledge.any, nowMs, nowMs, beforeMs, limit)
      : tx.all<{ kind: string }>(acknowledge.ofKind, nowMs, nowMs, beforeMs, kind, limit)
  for (const [found, { length }] of Map.groupBy(rows, (row) => row.kind)) {
    countTask(tx, found, { status: 'failed' }, -length)
    countTask(tx, found, { status: 'failed', isAcknowledged: true }, length)
  }
  return rows.length
}
