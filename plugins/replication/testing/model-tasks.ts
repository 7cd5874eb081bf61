import type { Outcome, Tx } from '#kernel'
import type { FakeClock } from '#kernel/testing'
import { Crash } from './model-provider.ts'

interface ModelTask {
  runAtMs: number
  attempts: number
  /** Enqueued again while it runs. */
  again: boolean
  /** Reason of its wait. */
  reason?: string | undefined
}

const attemptsMax = 6
const waitMsMin = 100

/**
 * The task engine's rules without its database: one task per key. Enqueueing ends a wait early but not a backoff, and repeats a running
 * task once. A task fails when its attempts are used up; a failed task counts as reported to the operator.
 */
export class ModelTasks {
  readonly #open = new Map<string, ModelTask>()
  readonly failed = new Map<string, string>()
  #running: string | undefined
  readonly #clock: FakeClock
  readonly #run: (key: string) => Promise<Outcome>

  constructor(clock: FakeClock, run: (key: string) => Promise<Outcome>) {
    this.#clock = clock
    this.#run = run
  }

  enqueue(tx: Tx, key: string, atMs = this.#clock.now()): void {
    tx.afterCommit(() => this.wake(key, atMs))
  }

  wake(key: string, atMs = this.#clock.now()): void {
    const task = this.#open.get(key)
    if (!task) return void this.#open.set(key, { runAtMs: atMs, attempts: 0, again: false })
    if (this.#running === key) task.again = true
    else if (task.attempts === 0) task.runAtMs = Math.min(task.runAtMs, atMs)
  }

  /** Ends a task that waits for this reason; another open one runs again. */
  endWait(tx: Tx, key: string, reason: string): void {
    tx.afterCommit(() => {
      const task = this.#open.get(key)
      if (task?.reason === reason && this.#running !== key && task.runAtMs > this.#clock.now()) this.#open.delete(key)
      else if (task) this.wake(key)
    })
  }

  isOpen = (key: string): boolean => this.#open.has(key)

  keys = (): readonly string[] => [...this.#open.keys()]

  retryFailed(): void {
    const keys = [...this.failed.keys()]
    this.failed.clear()
    for (const key of keys) this.wake(key)
  }

  /** Time at which the next task is due; undefined when none is open. */
  nextAtMs(): number | undefined {
    const times = [...this.#open.values()].map(({ runAtMs }) => runAtMs)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  async runDue(): Promise<void> {
    const due = [...this.#open].filter(([, { runAtMs }]) => runAtMs <= this.#clock.now())
    for (const [key, task] of due) await this.#runOne(key, task)
  }

  async #runOne(key: string, task: ModelTask): Promise<void> {
    this.#running = key
    task.reason = undefined
    try {
      this.#end(key, task, await this.#run(key))
    } catch (error) {
      this.#endAfterFault(key, task, error)
    } finally {
      task.again = false
      this.#running = undefined
    }
  }

  #end(key: string, task: ModelTask, outcome: Outcome): void {
    const nowMs = this.#clock.now()
    task.runAtMs = nowMs
    if (outcome.kind === 'wait') {
      task.reason = outcome.reason
      if (!task.again) task.runAtMs = Math.max(outcome.untilMs, nowMs + waitMsMin)
      return
    }
    task.attempts = 0
    if (outcome.kind === 'fail') this.failed.set(key, outcome.code)
    if (!task.again) this.#open.delete(key)
  }

  #endAfterFault(key: string, task: ModelTask, error: unknown): void {
    task.runAtMs = this.#clock.now()
    if (error instanceof Crash) return
    // An error without a code is a bug in the product or the model.
    if (!(error instanceof Error && 'code' in error)) throw error
    if (++task.attempts < attemptsMax) task.runAtMs += 5000 * 2 ** task.attempts
    else {
      this.failed.set(key, error.message)
      this.#open.delete(key)
    }
  }
}
