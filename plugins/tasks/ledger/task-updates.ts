import { type Clock, defineEvent, defineService, type Events } from '#kernel'
import type { TaskChange, TaskChanges, TaskSubject } from '#kernel/system'
import { presentTask } from './presentation-policy.ts'

export interface TaskUpdate {
  readonly task_id: number
  readonly type: string
  readonly status: string
  readonly presentation_status: string
  readonly subject: Pick<TaskSubject, 'type' | 'key'>
}

/** A task ended, was retried or was dismissed. At most one event a second for each task, with its latest state. */
export const taskUpdated = defineEvent<TaskUpdate>('task_updated')

const gatherMs = 1000
/** Events per second; further ones are dropped. Watchers buffer little and reload the list. */
const gatheredMax = 1000

/** Publishes `task_updated`. Disposing publishes the remaining updates. */
export interface TaskUpdates extends AsyncDisposable {
  /** For changes that the engine does not report. */
  add(task: TaskChange): void
}

export const taskUpdates = defineService<TaskUpdates>('tasks.updates')

interface TaskUpdatesDeps {
  readonly clock: Clock
  readonly events: Events
  readonly changes: TaskChanges
}

/** Collects the changes of tasks and publishes them once a second. */
export function createTaskUpdates({ clock, events, changes }: TaskUpdatesDeps): TaskUpdates {
  const gathered = new Map<number, TaskUpdate>()
  const stop = new AbortController()
  let gathering: Promise<void> | undefined

  function publish(): void {
    gathering = undefined
    const updates = [...gathered.values()]
    gathered.clear()
    for (const update of updates) events.publish(taskUpdated, update)
  }

  function add(task: TaskChange): void {
    if (gathered.size >= gatheredMax && !gathered.has(task.id)) return
    gathered.set(task.id, describe(task, clock.now()))
    // Only the stop ends the pause early.
    gathering ??= clock.sleep(gatherMs, stop.signal).then(publish, publish)
  }

  const stopWatching = changes.subscribe(add)
  return {
    add,
    async [Symbol.asyncDispose]() {
      stopWatching()
      stop.abort()
      await gathering
    },
  }
}

const describe = (task: TaskChange, nowMs: number): TaskUpdate => ({
  task_id: task.id,
  type: task.kind,
  status: task.status,
  presentation_status: presentTask(task, nowMs),
  subject: { type: task.subjectType, key: task.subjectKey },
})
