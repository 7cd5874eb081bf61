import { defineService } from '../core/service.ts'
import type { Tx } from '../db/database.ts'
import type { RetryEffect } from './task.ts'
import type { TaskRecord } from './task-record.ts'

/** What the engine knows about a kind that an enabled plugin handles. */
export interface KindFacts {
  readonly label: string
  readonly retry: RetryEffect | false
  readonly isRecurring: boolean
  /** Failures after which a task of the kind is failed. */
  readonly attemptsMax: number
}

/** `overtaken`: a newer task for the same work is open. */
export type RetryRefusal = 'not_failed' | 'not_retryable' | 'overtaken'

export interface FailuresBefore {
  /** Default: all kinds. */
  readonly kind?: string | undefined
  /** Only failures recorded strictly before it. */
  readonly beforeMs: number
  readonly limit: number
}

/** Changes that operators make to failed tasks. The engine alone writes task rows; lists and counts of them are reads of its tables. */
export interface TaskControl {
  /** Lists the kinds by name; complete after the engine's start. */
  kinds(): ReadonlyMap<string, KindFacts>
  /** Makes a failed task pending, due now, with all attempts and without its dismissal. */
  retry(tx: Tx, id: number): Promise<TaskRecord | RetryRefusal>
  /** Dismisses a failure: its retention period begins. */
  acknowledge(tx: Tx, id: number): Promise<TaskRecord | 'not_failed' | 'acknowledged'>
  /** Dismisses up to `limit` failures, oldest first, and returns their number. */
  acknowledgeBefore(tx: Tx, failures: FailuresBefore): Promise<number>
  /** A time after every failure so far and not after any later one. */
  markFailures(tx: Tx): Promise<number>
}

export const taskControl = defineService<TaskControl>('kernel.task-control')
