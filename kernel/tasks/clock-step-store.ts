import type { Reader, Tx } from '../db/database.ts'

/** Wall clock at the last mark, in milliseconds; 0 before the first. */
export function readClockMark(reader: Reader): number {
  return reader.get<{ at: number }>('select at from clock_mark')?.at ?? 0
}

export function writeClockMark(tx: Tx, nowMs: number): void {
  tx.run('update clock_mark set at = ?', nowMs)
}

interface SteppedClock {
  readonly nowMs: number
  /** Leases of this owner stay unchanged: they are renewed from memory. */
  readonly owner: string
  readonly leaseMs: number
}

/**
 * After the clock steps back, makes all scheduled times of tasks due now and ends leases longer than the lease duration. Waiting for
 * the recorded times could take as long as the step.
 */
export function boundTaskTimes(tx: Tx, { nowMs, owner, leaseMs }: SteppedClock): void {
  tx.run("update tasks set run_at = ?, updated_at = ? where status = 'pending' and run_at > ?", nowMs, nowMs, nowMs)
  tx.run("update tasks set again_at = ? where status = 'running' and again_at > ?", nowMs, nowMs)
  tx.run(
    "update tasks set lease_until = ? where status = 'running' and lease_owner <> ? and lease_until > ?",
    nowMs,
    owner,
    nowMs + leaseMs,
  )
}
