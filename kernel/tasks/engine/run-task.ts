import type { Clock } from '../../core/clock.ts'
import type { Uses } from '../../core/service.ts'
import { isDiskFault, isServerOutage } from '../../db/database-error.ts'
import type { Log } from '../../log/log.ts'
import { checkSchema } from '../../schema.ts'
import { type Ending, endAfterFault, endAfterOutcome } from '../rows/ending-policy.ts'
import type { TaskRun } from '../task.ts'
import type { TaskRecord } from '../task-record.ts'
import { backoffMs } from './backoff-policy.ts'
import { describeFault } from './fault.ts'
import { fenceWrites, requireLease } from './fence.ts'
import type { KnownKind } from './known-kinds.ts'
import { LeaseLost } from './lease-lost.ts'

interface Execution {
  readonly bound: KnownKind
  readonly task: TaskRecord
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly log: Log
  /** Returns a number between 0 and 1. */
  readonly random: () => number
}

/** Retry interval while the database refuses requests. */
const outagePauseMs = 15_000
const diskMessage = 'The disk of the database rejects writes; the task continues when it accepts them.'
const serverMessage = 'The database server does not answer; the task continues when it does.'

/** Runs a claimed task once and returns its ending. */
export async function runTask(execution: Execution): Promise<Ending> {
  const { bound, task, signal, clock } = execution
  // The process stopped or the lease was lost between the claim and the run.
  if (signal.aborted) return { kind: 'hand-back' }
  const log = execution.log.child(`${bound.pluginId}/${task.kind}`)
  const args = checkSchema(bound.item.args, JSON.parse(task.args))
  if (args.errors) {
    return { kind: 'fail', code: 'invalid_task', message: `the task's arguments are not valid: ${args.errors.summary}`, isRetryable: false }
  }
  const lease = { id: task.id, kind: task.kind, seq: task.leaseSeq }
  let hasProgressed = false
  const run: TaskRun<unknown, Uses> = {
    id: task.id,
    args: args.value,
    services: bound.services,
    attempts: task.attempts,
    nowMs: clock.now(),
    log,
    signal,
    fence: (database) => fenceWrites(database, lease),
    holdLease: (tx) => requireLease(tx, lease),
    progressed: () => {
      hasProgressed = true
    },
  }
  try {
    const outcome = await bound.item.run(run)
    return endAfterOutcome(outcome, { nowMs: clock.now(), hasProgressed })
  } catch (error) {
    // After the abort signal, an exception is most likely the abort itself and does not count as a failure.
    if (signal.aborted || error instanceof LeaseLost) return { kind: 'hand-back' }
    // I-08: an outage of the database is not a failure of the task.
    const outage = isDiskFault(error) ? diskMessage : isServerOutage(error) ? serverMessage : undefined
    if (outage !== undefined)
      return { kind: 'wait', reason: 'database', message: outage, untilMs: clock.now() + outagePauseMs, hasProgressed }
    return afterFault(execution, { error, failures: hasProgressed ? 1 : task.attempts + 1 })
  }
}

interface Fault {
  readonly error: unknown
  /** Since the task's last progress, including this one. */
  readonly failures: number
}

function afterFault({ bound, task, clock, log, random }: Execution, { error, failures }: Fault): Ending {
  const { attemptsMax } = bound
  const runAtMs = clock.now() + backoffMs(failures, random())
  const ending = endAfterFault({ fault: describeFault(error), failures, attemptsMax, runAtMs })
  const fields = { task: task.id, kind: task.kind, failures, attemptsMax, error }
  if (ending.kind === 'fail') log.error('task failed permanently', fields)
  else log.warn('task failed, retry scheduled', fields)
  return ending
}
