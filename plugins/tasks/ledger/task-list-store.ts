import type { Reader } from '#kernel'
import { type TaskRecord, type TaskStatus, taskColumns } from '#kernel/system'
import type { ListTasks, TaskCount } from './ledger.ts'

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

/** Number of unacknowledged failures of one kind or of all. */
export function countFailures(reader: Reader, kind: string | undefined): number {
  const row = reader.get<{ n: number | null }>(
    "select sum(n) as n from task_counts where status = 'failed' and acknowledged = 0 and kind = coalesce(?, kind)",
    kind ?? null,
  )
  return row?.n ?? 0
}
