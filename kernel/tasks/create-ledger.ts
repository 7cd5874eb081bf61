import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import { defineErrors, kernelErrors } from '../errors.ts'
import { fenceFailures } from './failure-clock-store.ts'
import type { KnownKind } from './known-kinds.ts'
import type { ListedTask, TaskLedger } from './ledger.ts'
import { acknowledgeFailures, acknowledgeTask, countFailures, findTask, listTasks, readCounts, reviveTask } from './ledger-store.ts'
import { isAcknowledgeable, isRetryable, presentTask } from './presentation-policy.ts'
import type { TaskRecord } from './task-record.ts'

const taskErrors = defineErrors({
  unknown_task_type: { status: 400, message: 'There is no task type with this name.' },
  task_retry_unsupported: { status: 409, message: 'This task cannot be retried.' },
  task_not_acknowledgeable: { status: 409, message: 'This task is not a failure that can be dismissed.' },
})

/** Failures dismissed in one transaction, so that many do not block the writer. */
const pageRows = 500
/** Number of events of one bulk dismissal, for its latest tasks. Watchers buffer no more and reload the list. */
const announcedMax = 32

interface LedgerDeps {
  readonly database: Database
  readonly clock: Clock
  /** Filled when the engine starts. */
  readonly kinds: ReadonlyMap<string, KnownKind>
  /** Called with the new state when an operator's change of a task is durable. */
  readonly onChange: (task: TaskRecord) => void
}

export function createLedger({ database, clock, kinds, onChange }: LedgerDeps): TaskLedger {
  const hiddenKinds = () => [...kinds.values()].filter(({ item }) => item.isRecurring).map(({ item }) => item.kind)
  const requireKind = (kind: string | undefined) => {
    if (kind !== undefined && !kinds.has(kind))
      throw taskErrors.unknown_task_type({ message: `'${kind}' is not a task type; known types: ${[...kinds.keys()].sort().join(', ')}` })
  }
  const present = (task: TaskRecord): ListedTask => {
    const known = kinds.get(task.kind)
    return {
      ...task,
      label: known?.item.label ?? task.kind,
      presentationStatus: presentTask(task, clock.now()),
      retryable: isRetryable(task) && known !== undefined,
      acknowledgeable: isAcknowledgeable(task),
      attemptsMax: known?.attemptsMax,
    }
  }
  const requireFailed = (task: TaskRecord | undefined, id: number): TaskRecord => {
    if (task?.status !== 'failed') throw kernelErrors.not_found({ message: `there is no failed task ${id}` })
    return task
  }
  return {
    kinds: () => new Map([...kinds.values()].map(({ item }) => [item.kind, item.label])),
    list(request) {
      requireKind(request.kind)
      return listTasks(database.read, request, hiddenKinds()).map(present)
    },
    counts: () => readCounts(database.read, hiddenKinds()),
    async retry(id) {
      await database.write((tx) => {
        const task = requireFailed(findTask(tx, id), id)
        if (!present(task).retryable) throw taskErrors.task_retry_unsupported({ message: `task ${id} (${task.kind}) cannot be retried` })
        if (!reviveTask(tx, task, clock.now()))
          throw taskErrors.task_retry_unsupported({ message: `task ${id} cannot be retried: a newer task for the same work is open` })
        const revived = findTask(tx, id)
        if (revived) tx.afterCommit(() => onChange(revived))
      })
    },
    async acknowledge(id) {
      await database.write((tx) => {
        const task = requireFailed(findTask(tx, id), id)
        if (!isAcknowledgeable(task)) throw taskErrors.task_not_acknowledgeable({ message: `task ${id} was dismissed already` })
        const acknowledgedAtMs = clock.now()
        acknowledgeTask(tx, task, acknowledgedAtMs)
        tx.afterCommit(() => onChange({ ...task, acknowledgedAtMs }))
      })
    },
    async preview(kind) {
      requireKind(kind)
      // In a write, so that no failure is recorded between the count and its timestamp.
      return database.write((tx) => {
        const asOfMs = fenceFailures(tx, clock.now())
        return { count: countFailures(tx, kind), asOfMs }
      })
    },
    async acknowledgeAll({ kind, failedBeforeMs = Number.POSITIVE_INFINITY }) {
      requireKind(kind)
      const { beforeMs, latest } = await database.write((tx) => {
        // Excludes failures recorded after the start, or the loop might never end.
        const beforeMs = Math.min(failedBeforeMs, fenceFailures(tx, clock.now()))
        const failed = listTasks(tx, { status: 'failed', limit: announcedMax, ...(kind === undefined ? {} : { kind }) }, [])
        return { beforeMs, latest: failed.filter(({ failedAtMs }) => (failedAtMs ?? beforeMs) < beforeMs) }
      })
      const nowMs = clock.now()
      let acknowledged = 0
      for (let page = pageRows; page === pageRows; acknowledged += page) {
        page = await database.write((tx) => acknowledgeFailures(tx, { kind, beforeMs, nowMs, limit: pageRows }))
      }
      for (const task of latest) onChange({ ...task, acknowledgedAtMs: nowMs })
      return acknowledged
    },
  }
}
