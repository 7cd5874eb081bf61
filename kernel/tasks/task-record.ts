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

/** The columns of `TaskRecord`, for select and returning clauses. */
export const taskColumns = [
  'id',
  'kind',
  'key',
  'subject_type as subjectType',
  'subject_key as subjectKey',
  'bucket',
  'args',
  'status',
  'run_at as runAtMs',
  'again_at as againAtMs',
  'attempts',
  'wait_reason as waitReason',
  'message',
  'error_code as errorCode',
  'last_error as lastError',
  'is_retryable as isRetryable',
  'failed_at as failedAtMs',
  'acknowledged_at as acknowledgedAtMs',
  'lease_seq as leaseSeq',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
  'started_at as startedAtMs',
  'finished_at as finishedAtMs',
] as const
