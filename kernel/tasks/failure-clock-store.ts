/** Moments of failure, kept so that a preview can be acted on exactly: no two failures share one, and none lies before an earlier preview. */
import type { Tx } from '../db/database.ts'

/** Strictly after every failure recorded and every fence given out before. */
export function nextFailureMs(tx: Tx, nowMs: number): number {
  tx.run('update task_failure_clock set at = max(at + 1, ?)', nowMs)
  return readClock(tx)
}

/** A moment that lies after every failure so far and not after any later one. */
export function fenceFailures(tx: Tx, nowMs: number): number {
  tx.run('update task_failure_clock set at = max(at, ? - 1)', nowMs)
  return readClock(tx) + 1
}

function readClock(tx: Tx): number {
  const row = tx.get<{ at: number }>('select at from task_failure_clock')
  if (row === undefined) throw new Error('the clock of failures is missing from the database')
  return row.at
}
