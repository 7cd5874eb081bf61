import type { Reader, Tx } from '../db/database.ts'
import { countTask, moveCount, type TaskRecord, taskColumns } from './task-record.ts'

/** Proof of a claim: every later write names it, and changes nothing once another claim was made (I-06). */
export interface Lease {
  readonly id: number
  readonly kind: string
  readonly seq: number
}

export interface ClaimRequest {
  /** How many tasks of each kind may start; kinds not named here are left alone (I-14). */
  readonly free: ReadonlyMap<string, number>
  readonly total: number
  readonly owner: string
  readonly nowMs: number
  readonly leaseUntilMs: number
}

/** Expired leases taken back in one claim; the rest follow in the next. */
const reclaimsMax = 100

/** Takes back expired leases, then leases what is due, longest due first within a kind. */
export function claimTasks(tx: Tx, request: ClaimRequest): readonly TaskRecord[] {
  reclaimExpired(tx, request.nowMs)
  const claimed: TaskRecord[] = []
  for (const [kind, free] of request.free) {
    const limit = Math.min(free, request.total - claimed.length)
    if (limit <= 0) continue
    const due = tx.all<{ id: number }>(
      "select id from tasks where kind = ? and status = 'pending' and run_at <= ? order by run_at, id limit ?",
      kind,
      request.nowMs,
      limit,
    )
    for (const { id } of due) claimed.push(lease(tx, id, kind, request))
  }
  return claimed
}

function lease(tx: Tx, id: number, kind: string, { owner, nowMs, leaseUntilMs }: ClaimRequest): TaskRecord {
  tx.run(
    `update tasks set status = 'running', lease_owner = ?, lease_until = ?, lease_seq = lease_seq + 1, is_backing_off = 0,
     started_at = ?, updated_at = ? where id = ?`,
    owner,
    leaseUntilMs,
    nowMs,
    nowMs,
    id,
  )
  moveCount(tx, kind, 'pending', 'running')
  return tx.get<TaskRecord>(`select ${taskColumns} from tasks where id = ?`, id) as TaskRecord
}

function reclaimExpired(tx: Tx, nowMs: number): void {
  const expired = tx.all<{ id: number; kind: string }>(
    "select id, kind from tasks where status = 'running' and lease_until < ? limit ?",
    nowMs,
    reclaimsMax,
  )
  for (const { id, kind } of expired) {
    tx.run(
      "update tasks set status = 'pending', run_at = ?, lease_owner = null, lease_until = null, updated_at = ? where id = ?",
      nowMs,
      nowMs,
      id,
    )
    moveCount(tx, kind, 'running', 'pending')
  }
}

/** When the next task of these kinds is due, or the next lease runs out; undefined when there is nothing to wait for. */
export function nextDueMs(reader: Reader, kinds: Iterable<string>): number | undefined {
  let next = reader.get<{ at: number | null }>("select min(lease_until) as at from tasks where status = 'running'")?.at ?? undefined
  for (const kind of kinds) {
    const at = reader.get<{ at: number | null }>("select min(run_at) as at from tasks where kind = ? and status = 'pending'", kind)?.at
    if (at !== null && at !== undefined && (next === undefined || at < next)) next = at
  }
  return next
}

/** False when the lease is lost. */
export function renewLease(tx: Tx, lease: Lease, leaseUntilMs: number): boolean {
  return (
    tx.run("update tasks set lease_until = ? where id = ? and lease_seq = ? and status = 'running'", leaseUntilMs, lease.id, lease.seq)
      .changes === 1
  )
}

export function finishDone(tx: Tx, lease: Lease, nowMs: number): boolean {
  const againAtMs = againOf(tx, lease)
  if (againAtMs === 'lost') return false
  if (againAtMs !== null) {
    tx.run('update tasks set wait_reason = null, message = null, error_code = null, last_error = null where id = ?', lease.id)
    putBack(tx, lease, { runAtMs: againAtMs, nowMs, attempts: 0 })
    return true
  }
  tx.run(
    `update tasks set status = 'completed', wait_reason = null, message = null, error_code = null, last_error = null, lease_owner = null, lease_until = null,
     finished_at = ?, updated_at = ? where id = ?`,
    nowMs,
    nowMs,
    lease.id,
  )
  moveCount(tx, lease.kind, 'running', 'completed')
  return true
}

/** Back to pending, with the attempts it had and no error (I-08). */
export function finishWaiting(
  tx: Tx,
  lease: Lease,
  wait: { readonly reason: string; readonly message: string | null; readonly untilMs: number; readonly nowMs: number },
): boolean {
  const againAtMs = againOf(tx, lease)
  if (againAtMs === 'lost') return false
  tx.run(
    'update tasks set wait_reason = ?, message = ?, error_code = null, last_error = null where id = ?',
    wait.reason,
    wait.message,
    lease.id,
  )
  putBack(tx, lease, { runAtMs: againAtMs === null ? wait.untilMs : Math.min(againAtMs, wait.untilMs), nowMs: wait.nowMs })
  return true
}

export interface TaskError {
  readonly code: string
  readonly message: string
}

/** One attempt used; the next one at `runAtMs`. */
export function finishRetrying(tx: Tx, lease: Lease, error: TaskError, at: { readonly runAtMs: number; readonly nowMs: number }): boolean {
  if (againOf(tx, lease) === 'lost') return false
  tx.run(
    'update tasks set attempts = attempts + 1, is_backing_off = 1, wait_reason = null, message = null, error_code = ?, last_error = ? where id = ?',
    error.code,
    error.message,
    lease.id,
  )
  putBack(tx, lease, at)
  return true
}

export function finishFailed(tx: Tx, lease: Lease, error: TaskError & { readonly isRetryable: boolean }, nowMs: number): boolean {
  const againAtMs = againOf(tx, lease)
  if (againAtMs === 'lost') return false
  tx.run(
    `update tasks set status = 'failed', attempts = attempts + 1, wait_reason = null, message = null, error_code = ?, last_error = ?, is_retryable = min(is_retryable, ?),
     failed_at = ?, finished_at = ?, again_at = null, lease_owner = null, lease_until = null, updated_at = ? where id = ?`,
    error.code,
    error.message,
    error.isRetryable ? 1 : 0,
    nextFailureMs(tx, nowMs),
    nowMs,
    nowMs,
    lease.id,
  )
  moveCount(tx, lease.kind, 'running', 'failed')
  // Somebody asked for another run while this one failed: that wish is a task of its own now.
  if (againAtMs !== null) cloneTask(tx, lease, againAtMs, nowMs)
  return true
}

/** The process stops: the task goes on elsewhere or later as if it had not been claimed. */
export function handBack(tx: Tx, lease: Lease, nowMs: number): boolean {
  if (againOf(tx, lease) === 'lost') return false
  putBack(tx, lease, { runAtMs: nowMs, nowMs })
  return true
}

/** Strictly growing, so that a moment named by a preview separates failures exactly. */
function nextFailureMs(tx: Tx, nowMs: number): number {
  const last =
    tx.get<{ at: number | null }>("select max(failed_at) as at from tasks where status = 'failed' and acknowledged_at is null")?.at ?? 0
  return Math.max(nowMs, last + 1)
}

function againOf(tx: Tx, lease: Lease): number | null | 'lost' {
  const row = tx.get<{ againAt: number | null }>(
    "select again_at as againAt from tasks where id = ? and lease_seq = ? and status = 'running'",
    lease.id,
    lease.seq,
  )
  return row ? row.againAt : 'lost'
}

function putBack(tx: Tx, lease: Lease, at: { readonly runAtMs: number; readonly nowMs: number; readonly attempts?: number }): void {
  tx.run(
    `update tasks set status = 'pending', run_at = ?, again_at = null, attempts = coalesce(?, attempts), lease_owner = null, lease_until = null, updated_at = ? where id = ?`,
    at.runAtMs,
    at.attempts ?? null,
    at.nowMs,
    lease.id,
  )
  moveCount(tx, lease.kind, 'running', 'pending')
}

function cloneTask(tx: Tx, lease: Lease, runAtMs: number, nowMs: number): void {
  tx.run(
    `insert into tasks (kind, key, subject_type, subject_key, bucket, args, status, run_at, is_retryable, created_at, updated_at)
     select kind, key, subject_type, subject_key, bucket, args, 'pending', ?, is_retryable, ?, ? from tasks where id = ?`,
    runAtMs,
    nowMs,
    nowMs,
    lease.id,
  )
  countTask(tx, lease.kind, { status: 'pending' }, 1)
}
