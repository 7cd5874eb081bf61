import { defineService } from '#kernel'
import type { KindFacts, TaskRecord, TaskStatus } from '#kernel/system'

/** The status of a task as shown to operators. */
export type PresentationStatus = 'queued' | 'scheduled' | 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled' | 'dismissed'

export interface ListedTask extends TaskRecord {
  readonly label: string
  readonly presentationStatus: PresentationStatus
  readonly retryable: boolean
  readonly retryEffect: KindFacts['retry'] | undefined
  readonly acknowledgeable: boolean
  /** Attempts of the kind; undefined for a kind without an enabled plugin. */
  readonly attemptsMax: number | undefined
}

export interface ListTasks {
  readonly kind?: string
  /** `failed` means not acknowledged; `dismissed` acknowledged. */
  readonly status?: TaskStatus | 'dismissed'
  /** Only tasks with smaller ids. */
  readonly before?: number
  readonly limit: number
}

export interface TaskCount {
  readonly kind: string
  readonly label: string
  readonly status: TaskStatus | 'dismissed'
  readonly count: number
}

/**
 * Lists and counts of tasks, and what operators do with failed ones. The engine writes the rows.
 * Errors: `not_found` 404, `task_retry_unsupported` 409, `task_not_acknowledgeable` 409, `unknown_task_type` 400.
 */
export interface TaskLedger {
  /** Newest first, without recurring kinds unless they failed. */
  list(request: ListTasks): Promise<readonly ListedTask[]>
  /** Reads counters, without a scan. Recurring kinds count only when failed. */
  counts(): Promise<readonly TaskCount[]>
  /** Sets the task to pending, due now, with all attempts. */
  retry(id: number): Promise<void>
  /** Counts by kind the failures that `retryAll` would retry. `effect`: what the retry does; undefined: the kind is left out. */
  previewRetry(kind?: string): Promise<{ readonly kinds: readonly RetriedKind[]; readonly asOfMs: number }>
  /**
   * Retries failures recorded before the time, except of kinds whose retry deletes permanently or is not possible. `hasMore`: it reached its
   * limit, and is called again for the rest.
   */
  retryAll(request: BulkFailures): Promise<{ readonly retried: number; readonly refused: number; readonly hasMore?: boolean }>
  acknowledge(id: number): Promise<void>
  /** Counts the failures that `acknowledgeAll` would dismiss; passing `asOfMs` back dismisses exactly these. */
  preview(kind?: string): Promise<{ readonly count: number; readonly asOfMs: number }>
  /** Dismisses failures recorded before the time and returns their number. */
  acknowledgeAll(request: BulkFailures): Promise<number>
}

interface BulkFailures {
  readonly kind?: string
  readonly failedBeforeMs?: number
}

interface RetriedKind {
  readonly kind: string
  readonly label: string
  readonly count: number
  readonly effect: string | undefined
}

export const taskLedger = defineService<TaskLedger>('tasks.ledger')
