import type { Clock } from '../../core/clock.ts'
import type { Database } from '../../db/database.ts'
import { createEvents, defineEvent } from '../../events/events.ts'
import type { Log } from '../../log/log.ts'
import { limits } from '../../process/limits.ts'
import { createTaskQueue } from '../rows/queue-store.ts'
import { RunCounts } from '../run-counts.ts'
import type { TaskChange, TaskChanges } from '../task-changes.ts'
import type { TaskRecord, TaskStatus } from '../task-record.ts'
import type { WorkerActivity } from '../worker-health.ts'
import { createTaskControl } from './create-control.ts'
import type { EngineWork, TaskEngine } from './engine.ts'
import { KnownKinds } from './known-kinds.ts'
import { Lanes } from './lanes.ts'
import { runRecoveries } from './recovery.ts'
import { retentionTask } from './retention-task.ts'
import { type RunningSchedules, startSchedules } from './schedule.ts'
import { Worker } from './worker.ts'

export interface EngineDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly settings: {
    readonly concurrency: number
    readonly poll_interval: number
    readonly lease_duration: number
    readonly retention: number
    readonly max_retries: number
  }
  /** Returns a number between 0 and 1; tests give a fixed one. */
  readonly random?: () => number
  /** How long a stop waits for runs. Default: `limits.stopMs`. */
  readonly stopMs?: number
}

const changed = defineEvent<TaskChange>('changed')

/** The queue can be used immediately; tasks run after `start`. */
export function createTaskEngine(deps: EngineDeps): TaskEngine {
  return new Engine(deps)
}

class Engine implements TaskEngine {
  readonly queue
  readonly control
  readonly changes: TaskChanges
  readonly runs: RunCounts
  readonly #deps: EngineDeps
  readonly #kinds: KnownKinds
  readonly #lanes: Lanes
  readonly #worker: Worker
  #schedules: RunningSchedules | undefined
  #isStarting = false
  #isStarted = false

  constructor(deps: EngineDeps) {
    const { clock, database, log, random = Math.random, settings, stopMs = limits.stopMs } = deps
    this.#deps = deps
    const changes = createEvents((error) => log.error('a watcher of tasks failed', { error }))
    this.changes = { subscribe: (listener) => changes.subscribe(({ payload }) => listener(payload as TaskChange)) }
    this.#kinds = new KnownKinds(settings.max_retries)
    this.#lanes = new Lanes(this.#kinds)
    this.runs = new RunCounts(this.#kinds)
    const onEnded = (task: TaskRecord, status: TaskStatus) => changes.publish(changed, { ...task, status, acknowledgedAtMs: null })
    const worker = new Worker({
      database,
      clock,
      log,
      random,
      kinds: this.#kinds,
      lanes: this.#lanes,
      runs: this.runs,
      concurrency: settings.concurrency,
      pollMs: settings.poll_interval,
      leaseMs: settings.lease_duration,
      stopMs,
      onEnded,
    })
    this.#worker = worker
    this.queue = createTaskQueue(
      clock,
      (kind) => worker.notify(kind),
      (task) => onEnded(task, 'completed'),
    )
    this.control = createTaskControl({
      clock,
      kinds: this.#kinds,
      onRetried: (task) => {
        worker.notify(task.kind)
        changes.publish(changed, task)
      },
    })
  }

  async start({ kinds, lanes, schedules, recoveries, dueTimes }: EngineWork): Promise<void> {
    const { database, settings, log } = this.#deps
    const retention = { item: retentionTask({ database, retentionMs: settings.retention }), services: {}, pluginId: 'kernel' }
    this.#kinds.add([...kinds, retention])
    this.#lanes.add(lanes)
    this.#isStarting = true
    await runRecoveries(recoveries, log)
    this.#worker.start(dueTimes)
    this.#isStarting = false
    this.#isStarted = true
    this.#schedules = startSchedules([...schedules, { name: 'retention', cron: '17 * * * *', kind: retention.item, args: {} }], {
      database,
      queue: this.queue,
      log,
      kinds: this.#kinds,
    })
  }

  async stop(): Promise<void> {
    await this.#schedules?.stop()
    if (this.#isStarted) await this.#worker.stop()
  }

  isHealthy(): boolean {
    return this.#isStarting || this.#worker.isHealthy()
  }

  activity(): WorkerActivity {
    return this.#worker.activity()
  }
}
