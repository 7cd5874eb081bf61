import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../log/log.ts'
import type { Lease } from '../rows/lease-store.ts'
import { sleepUnless } from './sleep-unless.ts'

export interface HeldLease {
  /** Aborts when the lease is lost, cannot be renewed in time, or the engine stops. */
  readonly signal: AbortSignal
  /** Stops the renewal. Does not change the row. */
  release(): void
}

interface LeaseKeeperOptions {
  readonly clock: Clock
  readonly leaseMs: number
  readonly log: Log
  /** Extends the leases in the database by their duration and resolves with the ids of lost ones. */
  renew(holds: readonly Lease[]): Promise<readonly number[]>
}

interface Kept {
  readonly lease: Lease
  readonly run: AbortController
  readonly ended: AbortController
  untilMs: number
}

/** Part of the lease between a run's abort signal and the time at which another run may claim the task. */
const windUpPart = 1 / 6
const renewalsPerLease = 3
/** One for all runs: without a reason, `abort` makes an exception with a stack for every run. */
const ended = new Error('the run ended')

/** Renews the leases of running tasks and aborts the runs whose leases it cannot renew. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions
  readonly #kept = new Set<Kept>()
  readonly #stopped = new AbortController()
  #renewing: Promise<void> = Promise.resolve()

  constructor(options: LeaseKeeperOptions) {
    this.#options = options
  }

  start(): void {
    this.#renewing = this.#keepRenewing()
  }

  /** `untilMs`: by the clock of this process, not after the end in the row. */
  hold(lease: Lease, untilMs: number): HeldLease {
    const kept: Kept = { lease, untilMs, run: new AbortController(), ended: new AbortController() }
    this.#kept.add(kept)
    void this.#watch(kept)
    return {
      signal: kept.run.signal,
      release: () => {
        this.#kept.delete(kept)
        kept.ended.abort(ended)
      },
    }
  }

  /** I-07: call before leases that expired by `nowMs` are reclaimed. After a process freeze the timers may not have fired yet. */
  abortExpired(nowMs: number): void {
    for (const kept of this.#kept) if (this.#safeUntil(kept) <= nowMs) this.#lose(kept)
  }

  abortAll(reason: Error): void {
    for (const kept of this.#kept) kept.run.abort(reason)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#renewing
  }

  async #keepRenewing(): Promise<void> {
    const { clock, leaseMs } = this.#options
    while (await sleepUnless(clock, leaseMs / renewalsPerLease, this.#stopped.signal)) await this.#renewAll()
  }

  async #renewAll(): Promise<void> {
    const { clock, leaseMs, log, renew } = this.#options
    const kept = [...this.#kept]
    if (kept.length === 0) return
    const untilMs = clock.now() + leaseMs
    try {
      const lost = new Set(await renew(kept.map(({ lease }) => lease)))
      for (const one of kept) {
        if (lost.has(one.lease.id)) this.#lose(one)
        else one.untilMs = untilMs
      }
    } catch (error) {
      // The leases are still valid: the next renewal may succeed, else the timers abort the runs in time.
      log.warn('leases of running tasks could not be renewed', { error })
    }
  }

  /** I-07: independent of the renewal, which may hang. */
  async #watch(kept: Kept): Promise<void> {
    const { clock } = this.#options
    while (await sleepUnless(clock, this.#safeUntil(kept) - clock.now(), kept.ended.signal)) {
      if (this.#safeUntil(kept) <= clock.now()) return this.#lose(kept)
    }
  }

  #safeUntil({ untilMs }: Kept): number {
    return untilMs - this.#options.leaseMs * windUpPart
  }

  #lose(kept: Kept): void {
    this.#kept.delete(kept)
    kept.ended.abort(ended)
    kept.run.abort(new Error(`the lease of task ${kept.lease.id} was lost`))
  }
}
