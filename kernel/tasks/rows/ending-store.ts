import { type Expression, sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { type Params, statementsOver } from '../../db/statement.ts'
import type { TaskStatus } from '../task-record.ts'
import { countTasks, moveCounts } from './counter-store.ts'
import type { Ending } from './ending-policy.ts'
import { nextFailureMs } from './failure-clock-store.ts'
import { type Lease, lockHeld } from './lease-store.ts'
import type { TaskTables } from './task-tables.ts'

const statement = statementsOver<TaskTables>()

type AtEnd<P = Record<never, never>> = Params<P & { id: number; nowMs: number }>

const noLease = { lease_owner: null, lease_until: null } as const
const noError = { error_code: null, last_error: null } as const

const complete = statement((db, { id, nowMs }: AtEnd) =>
  db
    .updateTable('tasks')
    .set({ status: 'completed', ...noError, ...noLease, finished_at: nowMs, updated_at: nowMs })
    .where('id', '=', id),
)

/** A rerun requested for a later time (again_at) stays: the next claim after that time fulfils it. */
const pendingAt = (runAtMs: Expression<number>, nowMs: Expression<number>) =>
  ({ status: 'pending', run_at: runAtMs, ...noLease, updated_at: nowMs }) as const

const putBack = statement((db, { id, runAtMs, nowMs }: AtEnd<{ runAtMs: number }>) =>
  db.updateTable('tasks').set(pendingAt(runAtMs, nowMs)).where('id', '=', id),
)

/** Starts the task as a new one. */
const runAgain = statement((db, { id, runAtMs, nowMs }: AtEnd<{ runAtMs: number }>) =>
  db
    .updateTable('tasks')
    .set({ ...pendingAt(runAtMs, nowMs), attempts: 0, ...noError, again_at: null })
    .where('id', '=', id),
)

interface Waiting {
  readonly runAtMs: number
  readonly reason: string | null
  readonly message: string | null
}

const wait = statement((db, { id, runAtMs, nowMs, reason, message }: AtEnd<Waiting>) =>
  db
    .updateTable('tasks')
    .set({ ...pendingAt(runAtMs, nowMs), wait_reason: reason, message })
    .where('id', '=', id),
)

const forgetFailures = statement((db, { id }: Params<{ id: number }>) =>
  db
    .updateTable('tasks')
    .set({ attempts: 0, ...noError })
    .where('id', '=', id),
)

interface Failed {
  readonly code: string
  readonly message: string
}

const retry = statement((db, { id, runAtMs, nowMs, failures, code, message }: AtEnd<Failed & { runAtMs: number; failures: number }>) =>
  db
    .updateTable('tasks')
    .set({ ...pendingAt(runAtMs, nowMs), attempts: failures, is_backing_off: 1, error_code: code, last_error: message })
    .where('id', '=', id),
)

const fail = statement(
  (db, { id, nowMs, code, message, isRetryable, failedAtMs }: AtEnd<Failed & { isRetryable: number; failedAtMs: number }>) =>
    db
      .updateTable('tasks')
      .set({
        status: 'failed',
        attempts: sql`attempts + 1`,
        error_code: code,
        last_error: message,
        is_retryable: sql`case when ${isRetryable} = 1 then is_retryable else 0 end`,
        failed_at: failedAtMs,
        finished_at: nowMs,
        again_at: null,
        ...noLease,
        updated_at: nowMs,
      })
      .where('id', '=', id),
)

const copied = ['kind', 'key', 'subject_type', 'subject_key', 'bucket', 'args', 'is_retryable'] as const

const clone = statement((db, { id, runAtMs, nowMs }: AtEnd<{ runAtMs: number }>) =>
  db
    .insertInto('tasks')
    .columns([...copied, 'status', 'run_at', 'created_at', 'updated_at'])
    .expression((tasks) =>
      tasks
        .selectFrom('tasks')
        .select([...copied, sql<TaskStatus>`'pending'`.as('status')])
        .select([bigint(runAtMs).as('run_at'), bigint(nowMs).as('created_at'), bigint(nowMs).as('updated_at')])
        .where('id', '=', id),
    ),
)

/** PostgreSQL does not infer the type of a parameter in the list of a select. */
const bigint = (value: Expression<number>) => sql<number>`cast(${value} as bigint)`

/** Writes the end of a run and returns the new status; undefined when the lease was lost and nothing was changed. */
export async function endRun(tx: Tx, lease: Lease, ending: Ending, nowMs: number): Promise<TaskStatus | undefined> {
  const held = await lockHeld(tx, lease)
  // I-06
  if (held === undefined) return undefined
  const { id } = lease
  const { againAtMs } = held
  switch (ending.kind) {
    case 'done':
      if (againAtMs === null) {
        await tx.run(complete, { id, nowMs })
        return moved(tx, lease, 'completed')
      }
      // A rerun was requested during the run: the same row runs again.
      await tx.run(runAgain, { id, runAtMs: againAtMs, nowMs })
      return moved(tx, lease, 'pending')
    case 'wait': {
      if (ending.hasProgressed) await tx.run(forgetFailures, { id })
      const { reason, message, untilMs } = ending
      const shown = againAtMs !== null && againAtMs <= nowMs ? { reason: null, message: null } : { reason, message }
      await tx.run(wait, { id, ...shown, runAtMs: Math.min(againAtMs ?? untilMs, untilMs), nowMs })
      return moved(tx, lease, 'pending')
    }
    case 'retry': {
      const { code, message, failures, runAtMs } = ending
      await tx.run(retry, { id, code, message, failures, runAtMs, nowMs })
      return moved(tx, lease, 'pending')
    }
    case 'fail':
      return failForGood(tx, lease, { ending, againAtMs, nowMs })
    case 'hand-back':
      await tx.run(putBack, { id, runAtMs: nowMs, nowMs })
      return moved(tx, lease, 'pending')
  }
}

interface Failure {
  readonly ending: Extract<Ending, { readonly kind: 'fail' }>
  readonly againAtMs: number | null
  readonly nowMs: number
}

async function failForGood(
  tx: Tx,
  lease: Lease,
  { ending: { code, message, isRetryable }, againAtMs, nowMs }: Failure,
): Promise<TaskStatus> {
  const failedAtMs = await nextFailureMs(tx, nowMs)
  await tx.run(fail, { id: lease.id, code, message, isRetryable: isRetryable ? 1 : 0, failedAtMs, nowMs })
  if (againAtMs !== null) {
    // Enqueue the requested rerun as a new task.
    await tx.run(clone, { id: lease.id, runAtMs: againAtMs, nowMs })
    await countTasks(tx, lease.kind, { status: 'pending' }, 1)
  }
  return moved(tx, lease, 'failed')
}

async function moved(tx: Tx, { kind }: Lease, status: TaskStatus): Promise<TaskStatus> {
  await moveCounts(tx, kind, ['running', status])
  return status
}
