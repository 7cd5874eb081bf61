import type { Reader, Tx } from '../../db/database.ts'
import { type Params, statementsOver } from '../../db/statement.ts'
import type { LeaseTimes } from './lease-times.ts'
import type { TaskTables } from './task-tables.ts'

const statement = statementsOver<TaskTables>()

const readMark = statement((db) => db.selectFrom('clock_mark').select('at'))
const writeMark = statement((db, { nowMs }: Params<{ nowMs: number }>) => db.updateTable('clock_mark').set({ at: nowMs }))

const boundPending = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db.updateTable('tasks').set({ run_at: nowMs, updated_at: nowMs }).where('status', '=', 'pending').where('run_at', '>', nowMs),
)
const boundReruns = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db.updateTable('tasks').set({ again_at: nowMs }).where('status', '=', 'running').where('again_at', '>', nowMs),
)
const boundLeases = statement((db, { nowMs, untilMs, owner }: Params<{ nowMs: number; untilMs: number; owner: string }>) =>
  db
    .updateTable('tasks')
    .set({ lease_until: nowMs })
    .where('status', '=', 'running')
    .where('lease_owner', '<>', owner)
    .where('lease_until', '>', untilMs),
)

/** Wall clock at the last mark, in milliseconds; 0 before the first. */
export async function readClockMark(reader: Reader): Promise<number> {
  return (await reader.get(readMark))?.at ?? 0
}

export async function writeClockMark(tx: Tx, nowMs: number): Promise<void> {
  await tx.run(writeMark, { nowMs })
}

interface SteppedClock {
  readonly nowMs: number
  /** Leases of this owner stay unchanged: they are renewed from memory. */
  readonly owner: string
  readonly lease: LeaseTimes
}

/**
 * After the clock steps back, makes all scheduled times of tasks due now and ends leases longer than the lease duration. Waiting for
 * the recorded times could take as long as the step.
 */
export async function boundTaskTimes(tx: Tx, { nowMs, owner, lease }: SteppedClock): Promise<void> {
  await tx.run(boundPending, { nowMs })
  await tx.run(boundReruns, { nowMs })
  await tx.run(boundLeases, { ...lease, owner })
}
