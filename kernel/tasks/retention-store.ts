import type { Tx } from '../db/database.ts'
import { countTask, type TaskStatus } from './task-record.ts'

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
