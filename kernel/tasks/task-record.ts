import type { Tx } from '../db/database.ts'

export type TaskStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'

/** A row of the task table. Times in milliseconds. */
export interface TaskRecord {
  readonly id: number
  readonly kind: string
  readonly key: string | null
  readonly subjectType: string
  readonly subjectKey: string
  readonly bucket: string | null
  readonly args: string
  readonly status: TaskStatus
  readonly runAtMs: number
  readonly againAtMs: number | null
  readonly attempts: number
  readonly waitReason: string | null
  readonly message: string | null
  readonly errorCode: string | null
  readonly lastError: string | null
  readonly isRetryable: number
  readonly failedAtMs: number | null
  readonly acknowledgedAtMs: number | null
  readonly leaseSeq: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly startedAtMs: number | null
  readonly finishedAtMs: number | null
}

export const taskColumns = `id, kind, key, subject_type as subjectType, subject_key as subjectKey, bucket, args, status, run_at as runAtMs, again_at as againAtMs,
  attempts, wait_reason as waitReason, message, error_code as errorCode, last_error as lastError, is_retryable as isRetryable, failed_at as failedAtMs,
  acknowledged_at as acknowledgedAtMs, lease_seq as leaseSeq, created_at as createdAtMs, updated_at as updatedAtMs, started_at as startedAtMs, finished_at as finishedAtMs`

/** Updates the counters: rows that enter a state (positive) or leave it (negative). */
export function countTask(
  tx: Tx,
  kind: string,
  state: { readonly status: TaskStatus; readonly isAcknowledged?: boolean },
  by: number,
): void {
  tx.run(
    'insert into task_counts (kind, status, acknowledged, n) values (?, ?, ?, ?) on conflict (kind, status, acknowledged) do update set n = n + excluded.n',
    kind,
    state.status,
    state.isAcknowledged ? 1 : 0,
    by,
  )
}

export function moveCount(tx: Tx, kind: string, from: TaskStatus, to: TaskStatus): void {
  countTask(tx, kind, { status: from }, -1)
  countTask(tx, kind, { status: to }, 1)
}
