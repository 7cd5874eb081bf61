import { type Clock, systemClock } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { newUlid } from '../../ids.ts'
import type { Log } from '../../log/log.ts'
import { defineProbe } from '../../process/probe.ts'
import { endRun } from '../rows/ending-store.ts'
import { claimTasks, findNextTimes, type Lease, releaseLeases, renewLeases } from '../rows/lease-store.ts'
import { newLease } from '../rows/lease-times.ts'
import type { RunCounts } from '../run-counts.ts'
import type { DueTimes } from '../task.ts'
import type { TaskRecord, TaskStatus } from '../task-record.ts'
import type { WorkerActivity } from '../worker-health.ts'
import { ClockWatch } from './clock-watch.ts'
import type { KnownKinds } from './known-kinds.ts'
import type { Lanes } from './lanes.ts'
import { type HeldLease, LeaseKeeper } from './lease-keeper.ts'
import { runTask } from './run-task.ts'
import { WakeSignal } from './wake-signal.ts'

interface WorkerDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
  readonly kinds: KnownKinds
  readonly lanes: Lanes
  readonly runs: RunCounts
  readonly concurrency: number
  readonly pollMs: number
  readonly leaseMs: number
  /** How long a stop waits for runs. */
  readonly stopMs: number
  onEnded(task: TaskRecord, status: TaskStatus): void
}

interface Run {
  readonly kind: string
  readonly ended: Promise<void>
}

/** Tasks leased in one transaction: a long backlog must not hold the writer. */
const claimsAtOnceMax = 32
const pollsUntilUnhealthy = 3
/** Least pause after a claim that took nothing, so that tasks which others hold cause no loop. */
const idlePauseMs = 20
/**
 * Least time between two claims while tasks run: tasks that end in it share a claim, which is a write transaction. With 8 runs of 40 ms it
 * halves the claims. A slot is idle for at most the gap: a kind with one slot and short runs runs a hundred times a second while others run.
 */
export const claimGapMs = 10
const claimed = defineProbe('tasks.claimed')
const ran = defineProbe('tasks.ran')

/** Claims due tasks while there are free slots, runs them and records how they ended. */
export class Worker {
  readonly #deps: WorkerDeps
  readonly #owner: string
  readonly #wakeSignal: WakeSignal
  /** Ends the gap between two claims. */
  readonly #gapSignal: WakeSignal
  readonly #leases: LeaseKeeper
  readonly #runs = new Set<Run>()
  /** Number of the last run that began, by kind. */
  readonly #lastRuns = new Map<string, number>()
  #runsBegun = 0
  #clockWatch: ClockWatch | undefined
  #loop: Promise<void> | undefined
  #isStopping = false
  #lastPollAtMs: number

  constructor(deps: WorkerDeps) {
    const { clock, database, leaseMs, log } = deps
    this.#deps = deps
    this.#owner = newUlid(clock.now())
    this.#wakeSignal = new WakeSignal(clock)
    this.#gapSignal = new WakeSignal(clock)
    this.#leases = new LeaseKeeper({
      clock,
      leaseMs,
      log,
      renew: async (leases) => {
        const { untilMs } = await newLease(database, leaseMs)
        return database.write((tx) => renewLeases(tx, leases, untilMs))
      },
    })
    this.#lastPollAtMs = clock.now()
  }

  start(dueTimes: readonly DueTimes[]): void {
    const { clock, database, leaseMs, log } = this.#deps
    this.#clockWatch = new ClockWatch({ clock, database, log, owner: this.#owner, leaseMs, dueTimes })
    this.#leases.start()
    this.#loop = this.#claimUntilStopped()
  }

  /** A task of this kind may be due sooner than expected. */
  notify(kind: string): void {
    if (this.#freeOf(kind) > 0) this.#wakeSignal.notify()
  }

  isHealthy(): boolean {
    const { clock, pollMs } = this.#deps
    return this.#runs.size > 0 || clock.now() - this.#lastPollAtMs < pollsUntilUnhealthy * pollMs
  }

  activity(): WorkerActivity {
    return { active: this.#runs.size, lastPollAtMs: this.#lastPollAtMs }
  }

  async stop(): Promise<void> {
    const { clock, database, log } = this.#deps
    this.#isStopping = true
    this.#wakeSignal.notify()
    this.#gapSignal.notify()
    await this.#loop
    this.#leases.abortAll(new Error('the service stops'))
    await this.#awaitRuns()
    await this.#leases.stop()
    const tasks = await database.write((tx) => releaseLeases(tx, this.#owner, clock.now()))
    if (tasks > 0) log.info('tasks were handed back unfinished', { tasks })
    await this.#clockWatch?.mark()
  }

  async #awaitRuns(): Promise<void> {
    const { log, stopMs } = this.#deps
    const limit = new AbortController()
    // Real time on purpose: a stop must not wait for a test's clock to be moved.
    const late = systemClock.sleep(stopMs, limit.signal).then(
      () => log.warn('tasks did not stop in time', { kinds: [...this.#runs].map(({ kind }) => kind), stopMs }),
      // All runs ended before the limit.
      () => {},
    )
    await Promise.race([Promise.all([...this.#runs].map(({ ended }) => ended)), late])
    limit.abort()
  }

  async #claimUntilStopped(): Promise<void> {
    while (!this.#isStopping) {
      // This claim sees all tasks and free slots that were notified.
      this.#wakeSignal.reset()
      const pauseMs = await this.#claim()
      if (pauseMs > 0 && !this.#isStopping) await this.#wakeSignal.wait(pauseMs)
      if (pauseMs > 0 && !this.#isStopping) await this.#awaitGap()
    }
  }

  /** Ends when no task runs: an idle worker claims at once. */
  async #awaitGap(): Promise<void> {
    const { clock } = this.#deps
    // The wait is at most the gap, also after a step back of the clock.
    const gapMs = Math.min(this.#lastPollAtMs + claimGapMs - clock.now(), claimGapMs)
    if (this.#runs.size === 0 || gapMs <= 0) return
    this.#gapSignal.reset()
    await this.#gapSignal.wait(gapMs)
  }

  /** Resolves with the pause in ms until the next poll. */
  async #claim(): Promise<number> {
    const { clock, database, lanes, leaseMs, log, pollMs } = this.#deps
    const total = Math.min(this.#deps.concurrency - this.#runs.size, claimsAtOnceMax)
    // The end of a run notifies the loop.
    if (total <= 0) return pollMs
    if (!(await this.#checkClock())) return pollMs
    const nowMs = clock.now()
    // I-07: before the claim, which reclaims expired leases: after a process freeze, runs of this process may still use them.
    this.#leases.abortExpired(nowMs)
    try {
      const roomBeside = (kind: string, claimed: readonly TaskRecord[]) => lanes.roomFor(kind, [...this.#runs, ...claimed])
      const request = { free: this.#freeByKind(), roomBeside, total, owner: this.#owner, nowMs }
      const lease = await newLease(database, leaseMs)
      const tasks = await database.write((tx) => claimTasks(tx, { ...request, lease }))
      this.#lastPollAtMs = clock.now()
      for (const task of tasks) this.#launch(task, nowMs + leaseMs)
      if (tasks.length === total) return 0
      return Math.max(await this.#pauseMs(lease.nowMs), tasks.length === 0 ? idlePauseMs : 0)
    } catch (error) {
      // The loop must survive every error. Tasks that the failed write did claim are reclaimed when their leases expire.
      log.error('due tasks could not be claimed', { error })
      return pollMs
    }
  }

  /** False when the database write of the check failed: a claim would fail too. */
  async #checkClock(): Promise<boolean> {
    try {
      await this.#clockWatch?.check()
      return true
    } catch (error) {
      this.#deps.log.error('due tasks could not be claimed', { error })
      return false
    }
  }

  /** Time until a task with a free slot is due or a lease expires, at most one poll interval. */
  async #pauseMs(leaseNowMs: number): Promise<number> {
    const { clock, database, pollMs } = this.#deps
    const { leaseAtMs, runAtMs } = await findNextTimes(database.read, [...this.#freeByKind().keys()])
    return Math.min(pollMs, Math.max(leaseAtMs - leaseNowMs, 0), Math.max(runAtMs - clock.now(), 0))
  }

  /** Free slots by kind: the kind with the fewest runs first, then the one that ran longest ago, so that no kind starves another. */
  #freeByKind(): ReadonlyMap<string, number> {
    const free = [...this.#deps.kinds.keys()].map((kind) => [kind, this.#freeOf(kind)] as const).filter(([, slots]) => slots > 0)
    const lastRunOf = (kind: string) => this.#lastRuns.get(kind) ?? 0
    return new Map(free.sort(([a], [b]) => this.#runningOf(a) - this.#runningOf(b) || lastRunOf(a) - lastRunOf(b)))
  }

  #freeOf(kind: string): number {
    const { concurrency, kinds, lanes } = this.#deps
    const known = kinds.get(kind)
    if (known === undefined) return 0
    return Math.min(
      concurrency - this.#runs.size,
      (known.item.concurrency ?? concurrency) - this.#runningOf(kind),
      lanes.roomFor(kind, this.#runs),
    )
  }

  #runningOf(kind: string): number {
    let running = 0
    for (const run of this.#runs) if (run.kind === kind) running++
    return running
  }

  #launch(task: TaskRecord, leaseUntilMs: number): void {
    // Tasks claimed during the stop are handed back with the running ones.
    if (this.#isStopping) return
    const lease: Lease = { id: task.id, kind: task.kind, seq: task.leaseSeq }
    const held = this.#leases.hold(lease, leaseUntilMs)
    const run: Run = {
      kind: task.kind,
      ended: this.#runToEnd(task, lease, held).finally(() => {
        held.release()
        this.#runs.delete(run)
        if (this.#runs.size === 0) this.#gapSignal.notify()
        this.#wakeSignal.notify()
      }),
    }
    this.#runs.add(run)
    this.#lastRuns.set(task.kind, ++this.#runsBegun)
  }

  /** Never rejects: after an error the row keeps its lease until it expires, and then the task runs again. */
  async #runToEnd(task: TaskRecord, lease: Lease, { signal }: HeldLease): Promise<void> {
    const { clock, database, kinds, log, onEnded, random, runs } = this.#deps
    const fields = { task: task.id, kind: task.kind }
    try {
      await claimed()
      const bound = kinds.get(task.kind)
      if (bound === undefined) throw new Error(`the kind '${task.kind}' was claimed but is not known`)
      const startedAtMs = clock.now()
      const ending = await runTask({ bound, task, signal, clock, log, random })
      const tookMs = clock.now() - startedAtMs
      await ran()
      const status = await database.write((tx) => endRun(tx, lease, ending, clock.now()))
      if (status !== undefined) runs.add(task.kind, ending.kind, tookMs)
      if (status === undefined) log.warn('result discarded: lease lost', fields)
      else if (status !== 'pending') onEnded(task, status)
    } catch (error) {
      log.error('the end of a run could not be recorded; the task runs again after its lease', { ...fields, error })
    }
  }
}
