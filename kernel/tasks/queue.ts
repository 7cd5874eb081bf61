import { defineService } from '../core/service.ts'
import type { Reader, Tx } from '../db/database.ts'
import type { TaskKind } from './task.ts'

export interface EnqueueOptions {
  /**
   * Deduplication key: while a task with it is pending or running, no second one is created. A pending task is then due at `runAtMs` if
   * that is earlier (a wait ends, a backoff does not), and a running one runs again. The key is free when the task has ended.
   */
  readonly key?: string
  /** Earliest start in clock milliseconds. Default: now. */
  readonly runAtMs?: number
}

/** Enqueues tasks. Call it inside the transaction that makes the work necessary, so that both commit together. */
export interface TaskQueue {
  /** Resolves with the id of the new task, or of the one that has the key. Notifies the engine after the commit. */
  add<A>(tx: Tx, kind: TaskKind<A>, args: A, options?: EnqueueOptions): Promise<number>
  /**
   * Completes those of the kind's tasks with these keys that wait for this reason: another task has done their work. Tasks that are
   * due, run, back off or have a requested rerun are left alone.
   */
  endWaits(tx: Tx, kind: TaskKind, keys: readonly string[], reason: string): Promise<void>
  /** Whether a task with this key is pending or running. Inside a transaction the answer holds until the commit. */
  hasOpen(reader: Reader, key: string): Promise<boolean>
  openKeys(reader: Reader, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** Returns the ids of tasks that are open, or failed and not dismissed: an operator is shown them. */
  unendedIds(reader: Reader, ids: readonly number[]): Promise<ReadonlySet<number>>
}

export const taskQueue = defineService<TaskQueue>('kernel.task-queue')
