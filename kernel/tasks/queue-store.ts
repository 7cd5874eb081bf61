import type { Clock } from '../clock.ts'
import type { Reader, Tx } from '../db/database.ts'
import type { EnqueueOptions, TaskQueue } from './queue.ts'
import type { TaskKind } from './task.ts'
import { countTask } from './task-record.ts'

/** Enqueues in the caller's transaction; `onEnqueued` is called after its commit. */
export function createTaskQueue(clock: Clock, onEnqueued: (kind: string) => void): TaskQueue {
  return {
    enqueue<A>(tx: Tx, kind: TaskKind<A>, args: A, { key, runAtMs }: EnqueueOptions = {}): number {
      const nowMs = clock.now()
      const atMs = Math.ceil(runAtMs ?? nowMs)
      if (!Number.isSafeInteger(atMs)) throw new Error(`a '${kind.kind}' task cannot be planned for ${runAtMs}`)
      tx.afterCommit(() => onEnqueued(kind.kind))
      return (key === undefined ? undefined : joinExisting(tx, key, { atMs, nowMs })) ?? insert(tx, kind, { args, key, atMs, nowMs })
    },
    isOpen: (reader, key) => findOpen(reader, key) !== undefined,
  }
}

interface Times {
  readonly atMs: number
  readonly nowMs: number
}

const findOpen = (reader: Reader, key: string) =>
  reader.get<{ id: number; status: string }>("select id, status from tasks where key = ? and status in ('pending', 'running')", key)

/** Makes a pending task due earlier, unless it is in backoff; requests a rerun of a running one. */
function joinExisting(tx: Tx, key: string, { atMs, nowMs }: Times): number | undefined {
  const task = findOpen(tx, key)
  if (!task) return undefined
  if (task.status === 'running') {
    tx.run('update tasks set again_at = min(coalesce(again_at, ?), ?), updated_at = ? where id = ?', atMs, atMs, nowMs, task.id)
  } else {
    bringForward(tx, task.id, { atMs, nowMs })
  }
  return task.id
}

/** New work does not shorten a backoff. A task that is due now stops waiting. */
function bringForward(tx: Tx, id: number, { atMs, nowMs }: Times): void {
  const isDue = atMs <= nowMs ? 1 : 0
  tx.run(
    `update tasks set run_at = ?, updated_at = ?, wait_reason = case when ? then null else wait_reason end,
     message = case when ? then null else message end where id = ? and is_backing_off = 0 and run_at > ?`,
    atMs,
    nowMs,
    isDue,
    isDue,
    id,
    atMs,
  )
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
