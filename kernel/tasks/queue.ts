import type { Reader, Tx } from '../db/database.ts'
import { defineService } from '../service.ts'
import type { TaskKind } from './task.ts'

export interface EnqueueOptions {
  /**
   * While a task with this key is pending or running there is no second one, and the enqueue is never lost: a pending task is brought
   * forward to `runAtMs` (also out of a wait, not out of a backoff), a running one runs once more after it ends. Free again once it ended.
   */
  readonly key?: string
  /** Earliest start in clock milliseconds. Default: now. */
  readonly runAtMs?: number
}

/** Puts work on record. Call it inside the transaction that makes the work necessary, so that neither exists without the other. */
export interface TaskQueue {
  /** Returns the id of the new task, or of the one that already has the key. The engine is woken after the commit. */
  enqueue<A>(tx: Tx, kind: TaskKind<A>, args: A, options?: EnqueueOptions): number
  /** Is a task with this key pending or running? Inside a transaction the answer holds until its commit. */
  isOpen(reader: Reader, key: string): boolean
}

export const taskQueue = defineService<TaskQueue>('kernel.task-queue')
