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

/** A task ended, was retried or was dismissed. At most one event a second for each task, with its latest state. */
export const taskUpdated = defineEvent<TaskUpdate>('task_updated')

const gatherMs = 1000
/** Events per second; further ones are dropped. Watchers buffer little and reload the list. */
const gatheredMax = 1000

/** Collects updates and publishes them once a second. */
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

  /** Publishes the remaining updates. */
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
