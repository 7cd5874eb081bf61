import { defineService } from '../service.ts'
import type { TaskRecord, TaskStatus } from './task-record.ts'

/** How a task looks to an operator. */
export type PresentationStatus = 'queued' | 'scheduled' | 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled' | 'dismissed'

/** A task as lists show it. */
export interface ListedTask extends TaskRecord {
  readonly label: string
  readonly presentationStatus: PresentationStatus
  readonly retryable: boolean
  readonly acknowledgeable: boolean
  /** Attempts the kind allows; undefined for a kind that no enabled plugin handles. */
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
  readonly status: TaskStatus | 'dismissed'
  readonly count: number
}

/**
 * Reads and operator actions on the task records. Running and finishing them is the engine's alone.
 * Errors: `not_found` 404, `task_retry_unsupported` 409, `task_not_acknowledgeable` 409, `unknown_task_type` 400.
 */
export interface TaskLedger {
  /** Kinds that enabled plugins handle, with their labels. */
  kinds(): ReadonlyMap<string, string>
  /** Newest first. Recurring kinds are left out unless they failed. */
  list(request: ListTasks): readonly ListedTask[]
  /** Counted, not scanned. Recurring kinds only with their failures. */
  counts(): readonly TaskCount[]
  /** Back to pending at once, with all its attempts. */
  retry(id: number): Promise<void>
  acknowledge(id: number): Promise<void>
  /** Failures that `acknowledgeAll` would dismiss, and the moment of counting: giving it back dismisses exactly these. */
  preview(kind?: string): Promise<{ readonly count: number; readonly asOfMs: number }>
  /** Dismisses failures recorded before the moment; the number of them. */
  acknowledgeAll(request: { readonly kind?: string; readonly failedBeforeMs?: number }): Promise<number>
}

export const taskLedger = defineService<TaskLedger>('kernel.task-ledger')
