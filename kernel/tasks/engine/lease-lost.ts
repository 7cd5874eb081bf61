import type { Lease } from '../rows/lease-store.ts'

/** Another run has the task; it looks up and records the results of this run. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor({ id, kind }: Lease) {
    super(`the lease of task ${id} (${kind}) was lost`)
  }
}
