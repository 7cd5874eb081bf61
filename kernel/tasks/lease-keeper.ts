import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import { type Lease, renewLease } from './lease-store.ts'

/** A run whose lease passed, or is about to pass, to somebody else. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface LeaseKeeper extends Disposable {
  /** Aborts before the lease can pass to another run (I-07). */
  readonly signal: AbortSignal
  abort(reason: Error): void
}

export interface KeeperDoors {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly leaseMs: number
}

/** Renewals in one lease: two may fail before the run has to stop. */
const renewalsPerLease = 3

/** Renews the lease while the run goes on. When that fails for too long, the run is told to stop while the lease still holds. */
export function keepLease({ database, clock, log, leaseMs }: KeeperDoors, lease: Lease): LeaseKeeper {
  const run = new AbortController()
  const ended = new AbortController()
  const stepMs = Math.max(1, Math.floor(leaseMs / renewalsPerLease))
  let heldUntilMs = clock.now() + leaseMs

  async function renew(): Promise<void> {
    while (!ended.signal.aborted && !run.signal.aborted) {
      await clock.sleep(stepMs, ended.signal)
      const nowMs = clock.now()
      if (nowMs + stepMs > heldUntilMs) run.abort(new LeaseLost(`the lease of task ${lease.id} could not be renewed in time`))
      try {
        const isHeld = await database.write((tx) => renewLease(tx, lease, nowMs + leaseMs))
        if (!isHeld) run.abort(new LeaseLost(`task ${lease.id} was taken over`))
        heldUntilMs = nowMs + leaseMs
      } catch (error) {
        // The next step tries again; the check above ends the run when none succeeds.
        log.warn('a task lease could not be renewed', { task: lease.id, error })
      }
    }
  }

  renew().catch(() => {
    // The sleep ends with the run; there is nothing to report.
  })
  return { signal: run.signal, abort: (reason) => run.abort(reason), [Symbol.dispose]: () => ended.abort() }
}
