import type { Database } from '../db/database.ts'
import { type Lease, lockHeld } from './lease-store.ts'

/** Another run has the task; it looks up and records the results of this run. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor({ id, kind }: Lease) {
    super(`the lease of task ${id} (${kind}) was lost`)
  }
}

/** The database of a run: every write checks the run's lease in its own transaction (I-06). */
export function fenceWrites(database: Database, lease: Lease): Database {
  return {
    read: database.read,
    snapshot: (look) => database.snapshot(look),
    ping: () => database.ping(),
    now: () => database.now(),
    write: (job) =>
      database.write(async (tx) => {
        if ((await lockHeld(tx, lease)) === undefined) throw new LeaseLost(lease)
        return job(tx)
      }),
  }
}
