import type { Database, Tx } from '../../db/database.ts'
import { type Lease, lockHeld } from '../rows/lease-store.ts'
import { LeaseLost } from './lease-lost.ts'

/** The database of a run: every write checks the run's lease in its own transaction (I-06). */
export function fenceWrites(database: Database, lease: Lease): Database {
  return {
    read: database.read,
    snapshot: (look) => database.snapshot(look),
    ping: () => database.ping(),
    now: () => database.now(),
    write: (job, options) =>
      database.write(async (tx) => {
        await requireLease(tx, lease)
        return job(tx)
      }, options),
  }
}

/** @throws LeaseLost when another run has the task */
export async function requireLease(tx: Tx, lease: Lease): Promise<void> {
  if ((await lockHeld(tx, lease)) === undefined) throw new LeaseLost(lease)
}
