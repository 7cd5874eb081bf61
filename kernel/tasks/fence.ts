import type { Database } from '../db/database.ts'
import { isHeld, type Lease } from './lease-store.ts'

/** Another run has the task: what this one found or achieved is the other's to look up and record. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor({ id, kind }: Lease) {
    super(`the lease of task ${id} (${kind}) was lost`)
  }
}

/** The database as a run may use it: every write checks the run's lease in its own transaction (I-06). */
export function fenceWrites(database: Database, lease: Lease): Database {
  return {
    read: database.read,
    ping: () => database.ping(),
    write: (job) =>
      database.write((tx) => {
        if (!isHeld(tx, lease)) throw new LeaseLost(lease)
        return job(tx)
      }),
  }
}
