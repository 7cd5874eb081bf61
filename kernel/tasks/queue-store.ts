import type { Clock } from '../clock.ts'
import type { Tx } from '../db/database.ts'
import type { EnqueueOptions, TaskQueue } from './queue.ts'
import type { TaskKind } from './task.ts'
import { countTask } from './task-record.ts'

/** Enqueues in the caller's transaction; `onEnqueued` is called after its commit. */
export function createTaskQueue(clock: Clock, onEnqueued: () => void): TaskQueue {
  return {
    enqueue<A>(tx: Tx, kind: TaskKind<A>, args: A, { key, runAtMs }: EnqueueOptions = {}): number {
      const nowMs = clock.now()
      const atMs = runAtMs ?? nowMs
      tx.afterCommit(onEnqueued)
      return (key === undefined ? undefined : joinExisting(tx, key, { atMs, nowMs })) ?? insert(tx, kind, { args, key, atMs, nowMs })
    },
  }
}

interface Times {
  readonly atMs: number
  readonly nowMs: number
}

/** A pending task comes forward, unless it backs off after a failure; a running one will run once more. */
function joinExisting(tx: Tx, key: string, { atMs, nowMs }: Times): number | undefined {
  const task = tx.get<{ id: number; status: string }>(
    "select id, status from tasks where key = ? and status in ('pending', 'running')",
    key,
  )
  if (!task) return undefined
  if (task.status === 'running') {
    tx.run('update tasks set again_at = min(coalesce(again_at, ?), ?), updated_at = ? where id = ?', atMs, atMs, nowMs, task.id)
  } else {
    tx.run('update tasks set run_at = ?, updated_at = ? where id = ? and is_backing_off = 0 and run_at > ?', atMs, nowMs, task.id, atMs)
  }
  return task.id
}

function insert<A>(tx: Tx, kind: TaskKind<A>, task: Times & { readonly args: A; readonly key: string | undefined }): number {
  const subject = kind.subject(task.args)
  countTask(tx, kind.kind, { status: 'pending' }, 1)
  return tx.run(
    `insert into tasks (kind, key, subject_type, subject_key, bucket, args, status, run_at, is_retryable, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)`,
    kind.kind,
    task.key ?? null,
    subject.type,
    subject.key,
    subject.bucket ?? null,
    JSON.stringify(task.args),
    task.atMs,
    kind.isRetryable ? 1 : 0,
    task.nowMs,
    task.nowMs,
  ).lastId
}
