import type { Reader, Tx } from '../db/database.ts'
import type { ListTasks, TaskCount } from './ledger.ts'
import { countTask, type TaskRecord, type TaskStatus, taskColumns } from './task-record.ts'

export function findTask(reader: Reader, id: number): TaskRecord | undefined {
  return reader.get<TaskRecord>(`select ${taskColumns} from tasks where id = ?`, id)
}

// The plus sign removes the column's affinity; otherwise SQLite could not use the index for the expression.
const newestSql = `with newest as (
    select n.id from task_counts c join tasks n on n.id in (
      select t.id from tasks t where t.kind = c.kind and t.status = c.status and (t.acknowledged_at is not null) = +c.acknowledged and t.id < ?
      order by t.id desc limit ?)
    where c.kind = coalesce(?, c.kind) and c.status = coalesce(?, c.status) and c.acknowledged = coalesce(?, c.acknowledged)
      and (c.status = 'failed' or c.kind not in (select value from json_each(?)))
    order by n.id desc limit ?)
  select ${taskColumns} from tasks where id in (select id from newest) order by id desc`

/**
 * Newest first. Merges the newest rows of each shown group of task_counts, so that filtered-out rows are never read. Omits
 * `hiddenKinds` unless they failed.
 */
export function listTasks(
  reader: Reader,
  { kind, status, before, limit }: ListTasks,
  hiddenKinds: readonly string[],
): readonly TaskRecord[] {
  const isDismissed = status === 'dismissed'
  return reader.all<TaskRecord>(
    newestSql,
    before ?? Number.MAX_SAFE_INTEGER,
    limit,
    kind ?? null,
    isDismissed ? 'failed' : (status ?? null),
    status === undefined ? null : Number(isDismissed),
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

/** failed → pending, with all attempts. False when a newer task with its key is open. */
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

/** Number of unacknowledged failures of one kind or of all. */
export function countFailures(reader: Reader, kind: string | undefined): number {
  const row = reader.get<{ n: number | null }>(
    "select sum(n) as n from task_counts where status = 'failed' and acknowledged = 0 and kind = coalesce(?, kind)",
    kind ?? null,
  )
  return row?.n ?? 0
}

interface FailuresBefore {
  readonly kind: string | undefined
  /** Only failures recorded strictly before it. */
  readonly beforeMs: number
  readonly nowMs: number
  readonly limit: number
}

const acknowledgeSql = (ofKind: string) =>
  `update tasks set acknowledged_at = ?, updated_at = ? where id in (
     select id from tasks where status = 'failed' and acknowledged_at is null and failed_at < ? ${ofKind} order by failed_at limit ?)
   returning kind`
const acknowledge = { any: acknowledgeSql(''), ofKind: acknowledgeSql('and kind = ?') }

/** Acknowledges up to `limit` failures, oldest first, and returns their number. */
export function acknowledgeFailures(tx: Tx, { kind, beforeMs, nowMs, limit }: FailuresBefore): number {
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

/** Deletes up to `limit` tasks that finished or were acknowledged before the given time. */
export function deleteExpired(tx: Tx, beforeMs: number, limit: number): number {
  // The first condition repeats the partial index's own; otherwise SQLite would not use the index.
  const rows = tx.all<{ kind: string; status: TaskStatus }>(
    `delete from tasks where id in (
       select id from tasks where (status in ('completed', 'cancelled') or acknowledged_at is not null)
         and coalesce(acknowledged_at, finished_at) < ? order by coalesce(acknowledged_at, finished_at) limit ?)
     returning kind, status`,
    beforeMs,
    limit,
  )
  for (const { kind, status } of rows) countTask(tx, kind, { status, isAcknowledged: status === 'failed' }, -1)
  return rows.length
}
