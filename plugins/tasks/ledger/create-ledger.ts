import type { Clock, Database } from '#kernel'
import { type KindFacts, kernelErrors, type RetryRefusal, type TaskChange, type TaskControl, type TaskRecord } from '#kernel/system'
import { taskErrors } from '../errors.ts'
import { createBulkRetry } from './bulk-retry.ts'
import type { ListedTask, TaskLedger } from './ledger.ts'
import { isAcknowledgeable, isRetryable, presentTask } from './presentation-policy.ts'
import { countFailures, listTasks, readCounts } from './task-list-store.ts'

/** Failures dismissed in one transaction, so that many do not block the writer. */
const pageRows = 500
/** Number of events of one bulk dismissal, for its latest tasks. Watchers buffer no more and reload the list. */
const announcedMax = 32

interface LedgerDeps {
  readonly database: Database
  readonly clock: Clock
  readonly control: TaskControl
  /** Called when the dismissal of a task is durable. */
  readonly onDismissed: (task: TaskChange) => void
}

export function createLedger({ database, clock, control, onDismissed }: LedgerDeps): TaskLedger {
  const hiddenKinds = (kinds = control.kinds()) => [...kinds].flatMap(([kind, { isRecurring }]) => (isRecurring ? [kind] : []))
  const requireKind = (kind: string | undefined, kinds = control.kinds()) => {
    if (kind !== undefined && !kinds.has(kind))
      throw taskErrors.unknown_task_type({ message: `'${kind}' is not a task type; known types: ${[...kinds.keys()].sort().join(', ')}` })
  }
  const present = (task: TaskRecord, known: KindFacts | undefined, nowMs: number): ListedTask => ({
    ...task,
    label: known?.label ?? task.kind,
    presentationStatus: presentTask(task, nowMs),
    retryable: isRetryable(task) && known !== undefined,
    retryEffect: known?.retry,
    acknowledgeable: isAcknowledgeable(task),
    attemptsMax: known?.attemptsMax,
  })
  return {
    async list(request) {
      const kinds = control.kinds()
      requireKind(request.kind, kinds)
      const tasks = await listTasks(database.read, request, hiddenKinds(kinds))
      const nowMs = clock.now()
      return tasks.map((task) => present(task, kinds.get(task.kind), nowMs))
    },
    async counts() {
      const kinds = control.kinds()
      const counts = await readCounts(database.read, hiddenKinds(kinds))
      return counts.map((count) => ({ ...count, label: kinds.get(count.kind)?.label ?? count.kind }))
    },
    async retry(id) {
      const task = await database.write((tx) => control.retry(tx, id))
      if (typeof task === 'string') throw refuseRetry(id, task)
    },
    ...createBulkRetry({ database, control, requireKind }),
    async acknowledge(id) {
      const task = await database.write((tx) => control.acknowledge(tx, id))
      if (task === 'not_failed') throw notFailed(id)
      if (task === 'acknowledged') throw taskErrors.task_not_acknowledgeable({ message: `task ${id} was dismissed already` })
      onDismissed(task)
    },
    async preview(kind) {
      requireKind(kind)
      // Counts in a write, so that no failure is recorded between the count and its timestamp.
      return database.write(async (tx) => {
        const asOfMs = await control.markFailures(tx)
        return { count: await countFailures(tx, kind), asOfMs }
      })
    },
    async acknowledgeAll({ kind, failedBeforeMs = Number.POSITIVE_INFINITY }) {
      requireKind(kind)
      const { beforeMs, latest } = await database.write(async (tx) => {
        // Excludes failures recorded after the start, or the loop might never end.
        const beforeMs = Math.min(failedBeforeMs, await control.markFailures(tx))
        const failed = await listTasks(tx, { status: 'failed', limit: announcedMax, ...(kind === undefined ? {} : { kind }) }, [])
        return { beforeMs, latest: failed.filter(({ failedAtMs }) => (failedAtMs ?? beforeMs) < beforeMs) }
      })
      let acknowledged = 0
      for (let page = pageRows; page === pageRows; acknowledged += page) {
        page = await database.write((tx) => control.acknowledgeBefore(tx, { kind, beforeMs, limit: pageRows }), { rows: pageRows })
      }
      for (const task of latest) onDismissed({ ...task, acknowledgedAtMs: clock.now() })
      return acknowledged
    },
  }
}

const notFailed = (id: number) => kernelErrors.not_found({ message: `there is no failed task ${id}` })

function refuseRetry(id: number, refusal: RetryRefusal): Error {
  switch (refusal) {
    case 'not_failed':
      return notFailed(id)
    case 'not_retryable':
      return taskErrors.task_retry_unsupported({ message: `task ${id} cannot be retried` })
    case 'overtaken':
      return taskErrors.task_retry_unsupported({ message: `task ${id} cannot be retried: a newer task for the same work is open` })
  }
}
