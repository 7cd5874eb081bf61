import type { Clock } from '../../core/clock.ts'
import { acknowledgeFailures, acknowledgeTask, lockTask, reviveTask } from '../rows/control-store.ts'
import { fenceFailures } from '../rows/failure-clock-store.ts'
import type { TaskControl } from '../task-control.ts'
import type { TaskRecord } from '../task-record.ts'
import type { KnownKind, KnownKinds } from './known-kinds.ts'

interface ControlDeps {
  readonly clock: Clock
  /** Filled when the engine starts. */
  readonly kinds: KnownKinds
  /** Called when the retry of a task is durable. */
  readonly onRetried: (task: TaskRecord) => void
}

export function createTaskControl({ clock, kinds, onRetried }: ControlDeps): TaskControl {
  return {
    kinds: () =>
      new Map(
        [...kinds].map(([kind, { item, attemptsMax }]) => {
          const { label, retry, isRecurring } = item
          return [kind, { label, retry, isRecurring, attemptsMax }]
        }),
      ),
    async retry(tx, id) {
      const task = await lockTask(tx, id)
      if (task?.status !== 'failed') return 'not_failed'
      if (task.isRetryable === 0 || !kinds.has(task.kind)) return 'not_retryable'
      const revived = await reviveTask(tx, task, clock.now())
      if (revived === undefined) return 'overtaken'
      const { item, services } = kinds.get(task.kind) as KnownKind
      await item.reopen?.({ tx, args: JSON.parse(task.args), services })
      tx.afterCommit(() => onRetried(revived))
      return revived
    },
    async acknowledge(tx, id) {
      const task = await lockTask(tx, id)
      if (task?.status !== 'failed') return 'not_failed'
      if (task.acknowledgedAtMs !== null) return 'acknowledged'
      const acknowledgedAtMs = clock.now()
      await acknowledgeTask(tx, task, acknowledgedAtMs)
      return { ...task, acknowledgedAtMs }
    },
    acknowledgeBefore: (tx, failures) => acknowledgeFailures(tx, failures, clock.now()),
    markFailures: (tx) => fenceFailures(tx, clock.now()),
  }
}
