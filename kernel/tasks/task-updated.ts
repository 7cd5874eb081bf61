import type { Clock } from '../clock.ts'
import { defineEvent, type Events } from '../events.ts'
import { sleepUnless } from './sleep-unless.ts'
import type { TaskSubject } from './task.ts'

export interface TaskUpdate {
  readonly task_id: number
  readonly type: string
  readonly status: string
  readonly presentation_status: string
  readonly subject: Pick<TaskSubject, 'type' | 'key'>
}

/** A task ended, was put back to work or was dismissed. At most one a second for each task, with its latest state. */
export const taskUpdated = defineEvent<TaskUpdate>('task_updated')

const gatherMs = 1000
/** Watchers buffer little: what is beyond this in one second is left out, and they read the list anyway. */
const gatheredMax = 1000

/** Gathers updates and announces them once a second. */
export class TaskUpdates {
  readonly #clock: Clock
  readonly #events: Events
  readonly #gathered = new Map<number, TaskUpdate>()
  #gathering: { readonly end: AbortController; readonly done: Promise<void> } | undefined

  constructor(clock: Clock, events: Events) {
    this.#clock = clock
    this.#events = events
  }

  add(update: TaskUpdate): void {
    if (this.#gathered.size >= gatheredMax && !this.#gathered.has(update.task_id)) return
    this.#gathered.set(update.task_id, update)
    this.#gathering ??= this.#gather()
  }

  /** Announces what is left. */
  async stop(): Promise<void> {
    this.#gathering?.end.abort()
    await this.#gathering?.done
  }

  #gather() {
    const end = new AbortController()
    const done = sleepUnless(this.#clock, gatherMs, end.signal).then(() => {
      this.#gathering = undefined
      const updates = [...this.#gathered.values()]
      this.#gathered.clear()
      for (const update of updates) this.#events.publish(taskUpdated, update)
    })
    return { end, done }
  }
}
