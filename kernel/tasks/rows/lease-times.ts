import type { Database } from '../../db/database.ts'

/** Times by the clock that all processes of the database share. */
export interface LeaseTimes {
  readonly nowMs: number
  /** End of a lease that begins now. */
  readonly untilMs: number
}

/** Call it before the transaction: the lease then ends too early rather than too late. */
export async function newLease(database: Database, leaseMs: number): Promise<LeaseTimes> {
  const nowMs = await database.now()
  return { nowMs, untilMs: nowMs + leaseMs }
}
