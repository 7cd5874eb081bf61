/**
 * @recipe a task
 * Write one file `<verb>-task.ts` beside its noun: `defineTask({ kind, label, args, uses, subject, run })`, with a `lane` (contributed
 * with `taskLanes.load(…)`) if it spends money or removes something at a provider, and the kind in the plugin's `taskKinds.load(…)`.
 * Enqueue it inside the transaction that makes it necessary, with a deduplication key. `run` returns `done()`, `wait(reason, until)` or
 * `fail(…)` and must be safe to repeat from its start: put a probe (`defineProbe`) after every effect, and the crash test kills the
 * process there. Write through `fence(database)`, so that a run that lost its lease changes nothing, and call `progressed()` after lasting
 * progress, so that earlier failures no longer count. If a table of the plugin has due times, contribute them with `dueTimes.with(…)`, so
 * that they are reset when the clock steps back.
 */
import type { Type } from 'arktype'
import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Resolved, Uses } from '../core/service.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import type { Outcome } from './outcome.ts'

export interface TaskRun<A, U extends Uses> {
  readonly id: number
  readonly args: A
  readonly services: Resolved<U>
  /** Failures of this task so far. */
  readonly attempts: number
  readonly nowMs: number
  readonly log: Log
  /** Aborts when the lease is lost or the process stops (I-07). Check it before every effect outside the database. */
  readonly signal: AbortSignal
  /**
   * The database for this run: a write whose run has lost its lease changes nothing and rejects with `LeaseLost` (I-06), also after an
   * outside call that took too long. Reads are not fenced.
   */
  fence(database: Database): Database
  /** The same check for the transaction of a service, which does not write through `fence(database)`. */
  holdLease(tx: Tx): Promise<void>
  /** Records lasting progress: earlier failures of the task no longer count towards its attempts. */
  progressed(): void
}

/** The resource that a task concerns, for lists: `type` and `key` identify a row; `bucket` is optional. */
export interface TaskSubject {
  readonly type: string
  readonly key: string
  readonly bucket?: string
}

/** What an operator accepts with a retry. `danger`: the retry deletes permanently. */
export interface RetryEffect {
  readonly level: 'review' | 'danger'
  readonly text: string
}

export interface TaskSpec<A, U extends Uses> {
  /** Stable name, such as `mail_send`: it is in the database and in the API. */
  readonly kind: string
  /** Shown to operators, such as `Send mail`. */
  readonly label: string
  /** Shown to an operator before a retry of the failed task. False: an operator may not retry it. */
  readonly retry?: RetryEffect | false
  readonly args: Type<A>
  readonly uses: U
  /** Failures after which the task is failed, where the operator's `worker.tasks.max_retries` does not suit the kind; Infinity: never. */
  readonly attempts?: number
  /** Name of a contributed lane: the kind shares its concurrency limit with the other kinds of the lane. */
  readonly lane?: string
  /** Concurrent runs of this kind in this process. Default: the engine's concurrency. */
  readonly concurrency?: number
  /** Hidden from lists and counts while it is healthy. */
  readonly isRecurring?: boolean
  subject(args: A): TaskSubject
  run(run: TaskRun<A, U>): Promise<Outcome>
  /** Reopens what the failed run closed, in the transaction of an operator's retry. */
  reopen?(retry: TaskReopening<A, U>): Promise<void>
}

interface TaskReopening<A, U extends Uses> {
  readonly tx: Tx
  readonly args: A
  readonly services: Resolved<U>
}

// biome-ignore lint/suspicious/noExplicitAny: kinds differ in their arguments
export interface TaskKind<A = any> {
  readonly kind: string
  readonly label: string
  readonly retry: RetryEffect | false
  readonly args: Type<A>
  readonly uses: Uses
  readonly attempts: number | undefined
  readonly lane: string | undefined
  readonly concurrency: number | undefined
  readonly isRecurring: boolean
  subject(args: A): TaskSubject
  run(run: TaskRun<A, Uses>): Promise<Outcome>
  reopen?(retry: TaskReopening<A, Uses>): Promise<void>
}

/** Runs must be idempotent (I-09): after a crash at any point the task runs again with the same arguments. */
export function defineTask<A, const U extends Uses>(spec: TaskSpec<A, U>): TaskKind<A> {
  return {
    isRecurring: false,
    retry: { level: 'review', text: 'The task starts again with all its attempts.' },
    attempts: undefined,
    lane: undefined,
    concurrency: undefined,
    ...spec,
  }
}

export const taskKinds = defineExtensionPoint<TaskKind>('tasks.kinds')

/** A limit of concurrent runs that the kinds of several plugins may share. */
export interface TaskLane<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Concurrent runs in this process, at least 1. Read once, at the start. */
  concurrency(services: Resolved<U>): number
}

export const taskLanes = defineExtensionPoint<TaskLane>('tasks.lanes')

export const defineLane = <const U extends Uses>(spec: TaskLane<U>): TaskLane => spec

/** A tick of `cron` (five or six fields, UTC) enqueues the kind once; it never runs anything itself. */
export interface TaskSchedule {
  readonly name: string
  readonly cron: string
  readonly kind: TaskKind
  readonly args: object
}

export const taskSchedules = defineExtensionPoint<TaskSchedule>('tasks.schedules')

/**
 * Due times in a plugin's own tables. After the clock steps back, `bound` makes those later than `nowMs` due now, in one transaction
 * with the tasks.
 */
export interface DueTimes {
  readonly name: string
  bound(tx: Tx, nowMs: number): void | Promise<void>
}

export const dueTimes = defineExtensionPoint<DueTimes>('tasks.due-times')

/** An idempotent pass that runs once after start, before the first task is claimed. */
export interface TaskRecovery<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  run(services: Resolved<U>): Promise<void>
}

export const taskRecoveries = defineExtensionPoint<TaskRecovery>('tasks.recoveries')

export const defineRecovery = <const U extends Uses>(spec: TaskRecovery<U>): TaskRecovery => spec
