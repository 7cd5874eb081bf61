/** Unique, increasing timestamps of failures, so that a dismissal affects exactly the failures of its preview. */
import type { Tx } from '../db/database.ts'

/** A timestamp after every recorded failure and every earlier preview. */
export function nextFailureMs(tx: Tx, nowMs: number): number {
  tx.run('update task_failure_clock set at = max(at + 1, ?)', nowMs)
  return readClock(tx)
}

/** A timestamp after every failure so far and not after any later one. */
export function fenceFailures(tx: Tx, nowMs: number): number {
  tx.run('update task_failure_clock set at = max(at, ? - 1)', nowMs)
  return readClock(tx) + 1
}

function readClock(tx: Tx): number {
  const row = tx.get<{ at: number }>('select at from task_failure_clock')
  if (row === undefined) throw new Error('the clock of failures is missing from the database')
  return row.at
}
