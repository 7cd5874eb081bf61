import type { Database } from '../../db/database.ts'
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
        if ((await lockHeld(tx, lease)) === undefined) throw new LeaseLost(lease)
        return job(tx)
      }, options),
  }
}
