/** Inserts task rows as the engine would leave them, without running tasks. For tests and benchmarks with many rows. */
import type { Tx } from '../../db/database.ts'
import { countTask, type TaskStatus } from '../task-record.ts'

/** Far in the future, so that a pending row is listed and not run. */
const neverMs = 10 * 365 * 86_400_000

interface TaskRow {
  readonly kind: string
  readonly status: TaskStatus
  /** When it failed, finished or was enqueued. */
  readonly atMs: number
  /** Error code of a failure. */
  readonly acknowledgedAtMs?: number
}

export function insertTaskRow(tx: Tx, { kind, status, atMs, acknowledgedAtMs }: TaskRow): number {
  const isEnded = status !== 'pending' && status !== 'running'
  countTask(tx, kind, { status, isAcknowledged: acknowledgedAtMs !== undefined }, 1)
  if (status === 'failed') tx.run('update task_failure_clock set at = max(at, ?)', atMs)
  return tx.run(
    `insert into tasks (kind, subject_type, subject_key, args, status, run_at, failed_at, acknowledged_at, created_at, updated_at, started_at, finished_at)
     values (?, 'thing', 'a', '{"name":"a"}', ?, ?, ?, ?, ?, ?, ?, ?)`,
    kind,
    status,
    status === 'pending' ? atMs + neverMs : atMs,
    status === 'failed' ? atMs : null,
    acknowledgedAtMs ?? null,
    atMs,
    acknowledgedAtMs ?? atMs,
    isEnded ? atMs : null,
    isEnded ? atMs : null,
  ).lastId
}
