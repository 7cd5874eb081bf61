import type { Reader, Tx } from '../db/database.ts'
import type { Ending } from './ending-policy.ts'
import { nextFailureMs } from './failure-clock-store.ts'
import { countTask, moveCount, type TaskRecord, type TaskStatus, taskColumns } from './task-record.ts'

/** Identifies a claim. Later writes name it and change nothing after another claim (I-06). */
export interface Lease {
  readonly id: number
  readonly kind: string
  readonly seq: number
}

interface ClaimRequest {
  /** How many tasks of each kind may start; other kinds are not claimed (I-14). */
  readonly free: ReadonlyMap<string, number>
  /** How many more tasks of a kind may start besides those already claimed, which may share its limit. */
  readonly roomBeside?: (kind: string, claimed: readonly TaskRecord[]) => number
  readonly total: number
  readonly owner: string
  readonly nowMs: number
  readonly leaseUntilMs: number
}

/** Expired leases reclaimed in one claim; the next claim continues. */
const reclaimsMax = 100

/** Reclaims expired leases, then leases due tasks, longest due first within a kind. */
export function claimTasks(tx: Tx, request: ClaimRequest): readonly TaskRecord[] {
  reclaimExpired(tx, request.nowMs)
  const claimed: TaskRecord[] = []
  for (const [kind, free] of request.free) {
    const limit = Math.min(free, request.total - claimed.length, request.roomBeside?.(kind, claimed) ?? free)
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
    // This run fulfils reruns requested until now; a later scheduled rerun stays.
    `update tasks set status = 'running', lease_owner = ?, lease_until = ?, lease_seq = lease_seq + 1, is_backing_off = 0,
     wait_reason = null, message = null, again_at = case when again_at <= ? then null else again_at end,
     started_at = ?, updated_at = ? where id = ?`,
    owner,
    leaseUntilMs,
    nowMs,
    nowMs,
    nowMs,
    id,
  )
  moveCount(tx, kind, 'pending', 'running')
  return tx.get<TaskRecord>(`select ${taskColumns} from tasks where id = ?`, id) as TaskRecord
}

function reclaimExpired(tx: Tx, nowMs: number): void {
  const expired = tx.all<{ id: number; kind: string }>(
    "select id, kind from tasks where status = 'running' and lease_until <= ? limit ?",
    nowMs,
    reclaimsMax,
  )
  for (const { id, kind } of expired) {
    release(tx, id, nowMs)
    moveCount(tx, kind, 'running', 'pending')
  }
}

/** Makes the tasks of a dead or stopped owner due at once. */
function release(tx: Tx, id: number, nowMs: number): void {
  tx.run(
    "update tasks set status = 'pending', run_at = ?, lease_owner = null, lease_until = null, updated_at = ? where id = ?",
    nowMs,
    nowMs,
    id,
  )
}

/** When the next task of these kinds is due, or the next lease expires; undefined when neither exists. */
export function nextDueMs(reader: Reader, kinds: Iterable<string>): number | undefined {
  let next = reader.get<{ at: number | null }>("select min(lease_until) as at from tasks where status = 'running'")?.at ?? undefined
  for (const kind of kinds) {
    const at = reader.get<{ at: number | null }>("select min(run_at) as at from tasks where kind = ? and status = 'pending'", kind)?.at
    if (at !== null && at !== undefined && (next === undefined || at < next)) next = at
  }
  return next
}

/** Extends the leases and returns the ids of lost ones. */
export function renewLeases(tx: Tx, leases: readonly Lease[], leaseUntilMs: number): readonly number[] {
  const lost = leases.filter(({ id, seq }) => {
    // I-06
    const renewed = tx.run("update tasks set lease_until = ? where id = ? and lease_seq = ? and status = 'running'", leaseUntilMs, id, seq)
    return renewed.changes === 0
  })
  return lost.map(({ id }) => id)
}

export function isHeld(reader: Reader, { id, seq }: Lease): boolean {
  return reader.get("select 1 from tasks where id = ? and lease_seq = ? and status = 'running'", id, seq) !== undefined
}

/** Releases this owner's leases without counting attempts, and returns the number of tasks. */
export function handBackAll(tx: Tx, owner: string, nowMs: number): number {
  const held = tx.all<{ id: number; kind: string }>("select id, kind from tasks where status = 'running' and lease_owner = ?", owner)
  for (const { id, kind } of held) {
    release(tx, id, nowMs)
    moveCount(tx, kind, 'running', 'pending')
  }
  return held.length
}

/** Writes the end of a run and returns the new status; undefined when the lease was lost and nothing was changed. */
export function endRun(tx: Tx, lease: Lease, ending: Ending, nowMs: number): TaskStatus | undefined {
  const againAtMs = againOf(tx, lease)
  // I-06
  if (againAtMs === 'lost') return undefined
  switch (ending.kind) {
    case 'done':
      return againAtMs === null ? complete(tx, lease, nowMs) : runAgain(tx, lease, againAtMs, nowMs)
    case 'wait': {
      const { reason, message, untilMs, hasProgressed } = ending
      if (hasProgressed) forgetFailures(tx, lease)
      const isAskedFor = againAtMs !== null && againAtMs <= nowMs
      tx.run(
        'update tasks set wait_reason = ?, message = ? where id = ?',
        isAskedFor ? null : reason,
        isAskedFor ? null : message,
        lease.id,
      )
      return putBack(tx, lease, { runAtMs: againAtMs === null ? untilMs : Math.min(againAtMs, untilMs), nowMs })
    }
    case 'retry':
      tx.run(
        'update tasks set attempts = ?, is_backing_off = 1, error_code = ?, last_error = ? where id = ?',
        ending.failures,
        ending.code,
        ending.message,
        lease.id,
      )
      return putBack(tx, lease, { runAtMs: ending.runAtMs, nowMs })
    case 'fail':
      return fail(tx, lease, { ...ending, againAtMs, nowMs })
    case 'hand-back':
      return putBack(tx, lease, { runAtMs: nowMs, nowMs })
  }
}

function complete(tx: Tx, lease: Lease, nowMs: number): TaskStatus {
  tx.run(
    `update tasks set status = 'completed', error_code = null, last_error = null, lease_owner = null, lease_until = null,
     finished_at = ?, updated_at = ? where id = ?`,
    nowMs,
    nowMs,
    lease.id,
  )
  moveCount(tx, lease.kind, 'running', 'completed')
  return 'completed'
}

/** A rerun was requested during the run: the same row runs again, reset like a new one. */
function runAgain(tx: Tx, lease: Lease, runAtMs: number, nowMs: number): TaskStatus {
  forgetFailures(tx, lease)
  tx.run('update tasks set again_at = null where id = ?', lease.id)
  return putBack(tx, lease, { runAtMs, nowMs })
}

function forgetFailures(tx: Tx, { id }: Lease): void {
  tx.run('update tasks set attempts = 0, error_code = null, last_error = null where id = ?', id)
}

interface Failure {
  readonly code: string
  readonly message: string
  readonly isRetryable: boolean
  readonly againAtMs: number | null
  readonly nowMs: number
}

function fail(tx: Tx, lease: Lease, { code, message, isRetryable, againAtMs, nowMs }: Failure): TaskStatus {
  tx.run(
    `update tasks set status = 'failed', attempts = attempts + 1, error_code = ?, last_error = ?, is_retryable = min(is_retryable, ?),
     failed_at = ?, finished_at = ?, again_at = null, lease_owner = null, lease_until = null, updated_at = ? where id = ?`,
    code,
    message,
    isRetryable ? 1 : 0,
    nextFailureMs(tx, nowMs),
    nowMs,
    nowMs,
    lease.id,
  )
  moveCount(tx, lease.kind, 'running', 'failed')
  // Enqueue the requested rerun as a new task.
  if (againAtMs !== null) cloneTask(tx, lease, againAtMs, nowMs)
  return 'failed'
}

function againOf(tx: Tx, lease: Lease): number | null | 'lost' {
  const row = tx.get<{ againAt: number | null }>(
    "select again_at as againAt from tasks where id = ? and lease_seq = ? and status = 'running'",
    lease.id,
    lease.seq,
  )
  return row ? row.againAt : 'lost'
}

/** A rerun requested for a later time (again_at) stays: the next claim after that time fulfils it. */
function putBack(tx: Tx, lease: Lease, at: { readonly runAtMs: number; readonly nowMs: number }): TaskStatus {
  tx.run(
    "update tasks set status = 'pending', run_at = ?, lease_owner = null, lease_until = null, updated_at = ? where id = ?",
    at.runAtMs,
    at.nowMs,
    lease.id,
  )
  moveCount(tx, lease.kind, 'running', 'pending')
  return 'pending'
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
