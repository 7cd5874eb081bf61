import { type } from 'arktype'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import { defineEvent, type Events } from '../events.ts'
import { newUlid } from '../ids.ts'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import { backoffMs } from './backoff-policy.ts'
import { createLedger } from './create-ledger.ts'
import type { Bound, EngineWork, TaskEngine } from './engine.ts'
import { keepLease, type LeaseKeeper, LeaseLost } from './lease-keeper.ts'
import { claimTasks, finishDone, finishFailed, finishRetrying, finishWaiting, handBack, type Lease, nextDueMs } from './lease-store.ts'
import type { Outcome } from './outcome.ts'
import { createTaskQueue } from './queue-store.ts'
import { retentionTask } from './retention-task.ts'
import { type RunningSchedules, startSchedules } from './schedule.ts'
import type { TaskKind } from './task.ts'
import type { TaskRecord } from './task-record.ts'

export interface EngineDoors {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly events: Events
  readonly settings: {
    readonly concurrency: number
    readonly poll_interval: number
    readonly lease_duration: number
    readonly retention: number
  }
  /** Between 0 and 1; tests give a fixed one. */
  readonly random?: () => number
}

/** A task came to an end, or an operator moved it. */
export const taskUpdated = defineEvent<{ readonly task_id: number; readonly type: string; readonly status: string }>('task_updated')

/** Tasks leased in one transaction. */
const claimsAtOnceMax = 32
/** A claim that failed, as when the disk is full, is tried again after this. */
const claimRetryMs = 1000

export function createTaskEngine(doors: EngineDoors): TaskEngine {
  return new Engine(doors)
}

class Engine implements TaskEngine {
  readonly queue
  readonly ledger
  readonly #doors: EngineDoors
  readonly #owner: string
  readonly #kinds = new Map<string, Bound<TaskKind>>()
  readonly #running = new Map<number, { readonly kind: string; readonly keeper: LeaseKeeper; readonly ended: Promise<void> }>()
  readonly #stopping = new AbortController()
  #wakeUp = Promise.withResolvers<void>()
  #loop: Promise<void> | undefined
  #schedules: RunningSchedules | undefined
  #lookedAtMs: number

  constructor(doors: EngineDoors) {
    this.#doors = doors
    this.#owner = newUlid(doors.clock.now())
    this.#lookedAtMs = doors.clock.now()
    this.queue = createTaskQueue(doors.clock, () => this.#wakeUp.resolve())
    this.ledger = createLedger({ ...doors, kinds: this.#kinds, onChange: () => this.#wakeUp.resolve() })
  }

  async start({ kinds, schedules, recoveries }: EngineWork): Promise<void> {
    const { database, settings, log } = this.#doors
    const retention = { item: retentionTask({ database, retentionMs: settings.retention }), services: {}, pluginId: 'kernel' }
    for (const bound of [...kinds, retention]) {
      if (this.#kinds.has(bound.item.kind)) throw new Error(`two plugins define the task kind '${bound.item.kind}'`)
      this.#kinds.set(bound.item.kind, bound)
    }
    for (const { item, services } of recoveries) {
      await item.run(services as never)
      log.debug('recovery pass done', { recovery: item.name })
    }
    this.#schedules = startSchedules([...schedules, { name: 'task_gc', cron: '17 * * * *', kind: retention.item, args: {} }], {
      database,
      queue: this.queue,
      log,
    })
    this.#loop = this.#claimUntilStopped()
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'))
    await this.#schedules?.stop()
    this.#wakeUp.resolve()
    await this.#loop
    for (const { keeper } of this.#running.values()) keeper.abort(new Error('the service stops'))
    const all = Promise.allSettled([...this.#running.values()].map(({ ended }) => ended))
    const limit = new AbortController()
    // Real time on purpose: a stop must not wait for a test's clock to be moved.
    const timeout = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limits.stopMs)
      limit.signal.addEventListener('abort', () => clearTimeout(timer))
    })
    await Promise.race([all, timeout])
    limit.abort()
  }

  isHealthy(): boolean {
    return this.#running.size > 0 || this.#doors.clock.now() - this.#lookedAtMs < 3 * this.#doors.settings.poll_interval
  }

  async #claimUntilStopped(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wakeUp = Promise.withResolvers()
      let pauseMs = claimRetryMs
      try {
        const claimed = await this.#claim()
        for (const task of claimed) this.#launch(task)
        pauseMs = claimed.length > 0 && this.#hasRoom() ? 0 : this.#pauseMs()
      } catch (error) {
        // The loop is what everything else depends on: it says what is wrong and goes on.
        this.#doors.log.error('due tasks could not be claimed', { error })
      }
      await this.#rest(pauseMs)
    }
  }

  async #claim(): Promise<readonly TaskRecord[]> {
    const { database, clock, settings } = this.#doors
    const nowMs = clock.now()
    this.#lookedAtMs = nowMs
    const total = Math.min(settings.concurrency - this.#running.size, claimsAtOnceMax)
    if (total <= 0) return []
    const free = this.#freeByKind(total)
    return database.write((tx) => claimTasks(tx, { free, total, owner: this.#owner, nowMs, leaseUntilMs: nowMs + settings.lease_duration }))
  }

  /** The kind that ran longest ago comes first, so that no kind starves another. */
  #freeByKind(total: number): ReadonlyMap<string, number> {
    const busy = Map.groupBy(this.#running.values(), ({ kind }) => kind)
    const free = [...this.#kinds.values()].map(
      ({ item }) => [item.kind, Math.min(total, (item.concurrency ?? total) - (busy.get(item.kind)?.length ?? 0))] as const,
    )
    return new Map(free.filter(([, slots]) => slots > 0).sort(([a], [b]) => (busy.get(a)?.length ?? 0) - (busy.get(b)?.length ?? 0)))
  }

  #hasRoom(): boolean {
    return this.#running.size < this.#doors.settings.concurrency
  }

  /** Until something is due, at most a poll interval; without room until a run ends, which wakes the loop. */
  #pauseMs(): number {
    const { database, clock, settings } = this.#doors
    if (!this.#hasRoom()) return settings.poll_interval
    // A kind without a free slot has nothing to wait for but the end of one of its runs, which wakes the loop too.
    const dueMs = nextDueMs(database.read, this.#freeByKind(settings.concurrency).keys())
    return dueMs === undefined ? settings.poll_interval : Math.min(settings.poll_interval, Math.max(dueMs - clock.now(), 0))
  }

  async #rest(ms: number): Promise<void> {
    const woken = new AbortController()
    try {
      await Promise.race([this.#wakeUp.promise, this.#doors.clock.sleep(ms, AbortSignal.any([woken.signal, this.#stopping.signal]))])
    } catch {
      // The stop ends the sleep; the loop's condition sees it.
    } finally {
      woken.abort()
    }
  }

  #launch(task: TaskRecord): void {
    const bound = this.#kinds.get(task.kind)
    if (!bound) return
    const lease = { id: task.id, kind: task.kind, seq: task.leaseSeq }
    const keeper = keepLease({ ...this.#doors, leaseMs: this.#doors.settings.lease_duration }, lease)
    const ended = this.#runToEnd(bound, task, { lease, keeper }).finally(() => {
      keeper[Symbol.dispose]()
      this.#running.delete(task.id)
      this.#wakeUp.resolve()
    })
    this.#running.set(task.id, { kind: task.kind, keeper, ended })
  }

  async #runToEnd(
    bound: Bound<TaskKind>,
    task: TaskRecord,
    { lease, keeper }: { readonly lease: Lease; readonly keeper: LeaseKeeper },
  ): Promise<void> {
    const { log } = this.#doors
    try {
      const outcome = await this.#run(bound, task, keeper.signal)
      await this.#finish(task, lease, outcome)
    } catch (error) {
      const isStopped = keeper.signal.aborted
      if (isStopped && keeper.signal.reason instanceof LeaseLost)
        return log.warn('a run lost its lease and was stopped', { task: task.id, kind: task.kind })
      try {
        await this.#finishAfterThrow(bound.item, task, { lease, error, isStopped })
      } catch (cause) {
        // The row stays leased; when the lease runs out, another run takes it over.
        log.error('the end of a task could not be recorded', { task: task.id, kind: task.kind, error: cause })
      }
    }
  }

  async #run({ item, services, pluginId }: Bound<TaskKind>, task: TaskRecord, signal: AbortSignal): Promise<Outcome> {
    const args = item.args(JSON.parse(task.args))
    if (args instanceof type.errors)
      return { kind: 'fail', code: 'invalid_task', message: `the task's arguments are not valid: ${args.summary}`, retryable: false }
    const { clock, log } = this.#doors
    return item.run({
      id: task.id,
      args,
      services,
      attempts: task.attempts,
      nowMs: clock.now(),
      log: log.child(`${pluginId}/${task.kind}`),
      signal,
    } as never)
  }

  async #finish(task: TaskRecord, lease: Lease, outcome: Outcome): Promise<void> {
    const { database, clock } = this.#doors
    const nowMs = clock.now()
    const isWritten = await database.write((tx) => {
      if (outcome.kind === 'done') return finishDone(tx, lease, nowMs)
      if (outcome.kind === 'wait')
        return finishWaiting(tx, lease, { reason: outcome.reason, message: outcome.message ?? null, untilMs: outcome.untilMs, nowMs })
      return finishFailed(tx, lease, { code: outcome.code, message: outcome.message, isRetryable: outcome.retryable }, nowMs)
    })
    if (isWritten && outcome.kind !== 'wait') this.#announce(task, outcome.kind === 'done' ? 'completed' : 'failed')
  }

  async #finishAfterThrow(
    kind: TaskKind,
    task: TaskRecord,
    end: { readonly lease: Lease; readonly error: unknown; readonly isStopped: boolean },
  ): Promise<void> {
    const { database, clock, log, random = Math.random } = this.#doors
    const nowMs = clock.now()
    if (end.isStopped) {
      await database.write((tx) => handBack(tx, end.lease, nowMs))
      return
    }
    const error = { code: codeOf(end.error), message: end.error instanceof Error ? end.error.message : String(end.error) }
    const failures = task.attempts + 1
    if (failures < kind.attempts) {
      const runAtMs = nowMs + backoffMs(failures, random())
      log.warn('a task failed and will be tried again', { task: task.id, kind: task.kind, failures, error: end.error })
      await database.write((tx) => finishRetrying(tx, end.lease, error, { runAtMs, nowMs }))
      return
    }
    log.error('a task failed for good', { task: task.id, kind: task.kind, failures, error: end.error })
    await database.write((tx) => finishFailed(tx, end.lease, { ...error, code: 'attempts_exhausted', isRetryable: true }, nowMs))
    this.#announce(task, 'failed')
  }

  #announce(task: TaskRecord, status: string): void {
    this.#doors.events.publish(taskUpdated, { task_id: task.id, type: task.kind, status })
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unexpected_error'
}
