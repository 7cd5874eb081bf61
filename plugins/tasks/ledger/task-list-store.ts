import { sql } from 'kysely'
import { type Params, type Reader, sqlStatement, statementsOver } from '#kernel'
import type { TaskRecord, TaskStatus, TaskTables } from '#kernel/system'
import type { ListTasks, TaskCount } from './ledger.ts'

const statement = statementsOver<TaskTables>()

interface Filter {
  readonly before: number
  readonly limit: number
  readonly kind: string | null
  readonly status: string | null
  readonly acknowledged: number | null
  readonly hiddenKinds: readonly string[]
}

const columns = `id, kind, key, subject_type as "subjectType", subject_key as "subjectKey", bucket, args, status, run_at as "runAtMs",
  again_at as "againAtMs", attempts, wait_reason as "waitReason", message, error_code as "errorCode", last_error as "lastError",
  is_retryable as "isRetryable", failed_at as "failedAtMs", acknowledged_at as "acknowledgedAtMs", lease_seq as "leaseSeq",
  created_at as "createdAtMs", updated_at as "updatedAtMs", started_at as "startedAtMs", finished_at as "finishedAtMs"`

/**
 * Merges the newest rows of each shown group of task_counts, so that filtered-out rows are never read. By hand: the builder has no
 * text that both engines search by the index.
 */
const newest = sqlStatement<Filter, TaskRecord>({
  // The plus sign removes the column's affinity; otherwise SQLite could not use the index for the expression.
  sqlite: `with newest as (
      select n.id from task_counts c join tasks n on n.id in (
        select t.id from tasks t where t.kind = c.kind and t.status = c.status and (t.acknowledged_at is not null) = +c.acknowledged
          and t.id < :before
        order by t.id desc limit :limit)
      where c.kind = coalesce(:kind, c.kind) and c.status = coalesce(:status, c.status)
        and c.acknowledged = coalesce(:acknowledged, c.acknowledged) and (c.status = 'failed' or c.kind not in :hiddenKinds)
      order by n.id desc limit :limit)
    select ${columns} from tasks where id in (select id from newest) order by id desc`,
  postgres: `with newest as (
      select n.id from task_counts c cross join lateral (
        select t.id from tasks t where t.kind = c.kind and t.status = c.status and (t.acknowledged_at is not null) = (c.acknowledged = 1)
          and t.id < :before
        order by t.id desc limit :limit) n
      where c.kind = coalesce(:kind, c.kind) and c.status = coalesce(:status, c.status)
        and c.acknowledged = coalesce(:acknowledged, c.acknowledged) and (c.status = 'failed' or c.kind not in :hiddenKinds)
      order by n.id desc limit :limit)
    select ${columns} from tasks where id in (select id from newest) order by id desc`,
})

const counts = statement((db) =>
  db.selectFrom('task_counts').select(['kind', 'status', 'acknowledged', 'n']).where('n', '>', 0).orderBy('kind').orderBy('status'),
)

const failures = statement((db, { kind }: Params<{ kind: string | null }>) =>
  db
    .selectFrom('task_counts')
    .select(sql<number>`cast(coalesce(sum(n), 0) as integer)`.as('n'))
    .where('status', '=', 'failed')
    .where('acknowledged', '=', 0)
    .where('kind', '=', sql<string>`coalesce(${kind}, kind)`),
)

/** Newest first. Omits `hiddenKinds` unless they failed. */
export async function listTasks(
  reader: Reader,
  { kind, status, before, limit }: ListTasks,
  hiddenKinds: readonly string[],
): Promise<readonly TaskRecord[]> {
  const isDismissed = status === 'dismissed'
  return reader.all(newest, {
    before: before ?? Number.MAX_SAFE_INTEGER,
    limit,
    kind: kind ?? null,
    status: isDismissed ? 'failed' : (status ?? null),
    acknowledged: status === undefined ? null : Number(isDismissed),
    hiddenKinds,
  })
}

export async function readCounts(reader: Reader, hiddenKinds: readonly string[]): Promise<readonly Omit<TaskCount, 'label'>[]> {
  const rows = await reader.all(counts)
  return rows
    .filter(({ kind, status }) => status === 'failed' || !hiddenKinds.includes(kind))
    .map(({ kind, status, acknowledged, n }) => ({ kind, status: shownStatus(status, acknowledged), count: n }))
}

const shownStatus = (status: TaskStatus, acknowledged: number) => (status === 'failed' && acknowledged === 1 ? 'dismissed' : status)

export async function countFailures(reader: Reader, kind: string | undefined): Promise<number> {
  return (await reader.get(failures, { kind: kind ?? null }))?.n ?? 0
}
