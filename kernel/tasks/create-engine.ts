import type { Clock } from '../clock.ts'
import type { Database } from '../db/database.ts'
import type { Events } from '../events.ts'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import { createLedger } from './create-ledger.ts'
import type { EngineWork, TaskEngine } from './engine.ts'
import { KnownKinds } from './known-kinds.ts'
import { presentTask } from './presentation-policy.ts'
import { createTaskQueue } from './queue-store.ts'
import { runRecoveries } from './recovery.ts'
import { retentionTask } from './retention-task.ts'
import { RunCounts } from './run-counts.ts'
import { type RunningSchedules, startSchedules } from './schedule.ts'
import type { TaskRecord } from './task-record.ts'
import { TaskUpdates } from './task-updated.ts'
import { Worker } from './worker.ts'
import type { WorkerActivity } from './worker-health.ts'

export interface EngineDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly events: Events
  readonly settings: {
    readonly concurrency: number
    readonly poll_interval: number
    readonly lease_duration: number
    readonly retention: number
    readonly max_retries: number
    readonly provider_mutation_concurrency: number
    readonly destructive_mutation_concurrency: number
  }
  /** Between 0 and 1; tests give a fixed one. */
  readonly random?: () => number
  /** How long a stop waits for runs. Default: `limits.stopMs`. */
  readonly stopMs?: number
}

/** The queue and the ledger can be used immediately; tasks run after `start`. */
export function createTaskEngine(deps: EngineDeps): TaskEngine {
  return new Engine(deps)
}

class Engine implements TaskEngine {
  readonly queue
  readonly ledger
  readonly runs: RunCounts
  readonly #deps: EngineDeps
  readonly #kinds: KnownKinds
  readonly #worker: Worker
  readonly #updates: TaskUpdates
  #schedules: RunningSchedules | undefined
  #isStarting = false
  #isStarted = false

  constructor(deps: EngineDeps) {
    const { clock, database, events, log, random = Math.random, settings, stopMs = limits.stopMs } = deps
    this.#deps = deps
    this.#updates = new TaskUpdates(clock, events)
    this.#kinds = new KnownKinds(settings.max_retries)
    this.runs = new RunCounts(this.#kinds)
    const worker = new Worker({
      database,
      clock,
      log,
      random,
      kinds: this.#kinds,
      runs: this.runs,
      concurrency: settings.concurrency,
      lanes: {
        'provider-mutation': settings.provider_mutation_concurrency,
        destructive: settings.destructive_mutation_concurrency,
      },
      pollMs: settings.poll_interval,
      leaseMs: settings.lease_duration,
      stopMs,
      onEnded: (task, status) => this.#announce({ ...task, status, acknowledgedAtMs: null }),
    })
    this.#worker = worker
    this.queue = createTaskQueue(clock, (kind) => worker.notify(kind))
    this.ledger = createLedger({
      database,
      clock,
      kinds: this.#kinds,
      onChange: (task) => {
        worker.notify(task.kind)
        this.#announce(task)
      },
    })
  }

  async start({ kinds, schedules, recoveries, dueTimes }: EngineWork): Promise<void> {
    const { database, settings, log } = this.#deps
    const retention = { item: retentionTask({ database, retentionMs: settings.retention }), services: {}, pluginId: 'kernel' }
    this.#kinds.add([...kinds, retention])
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
    await this.#updates.stop()
  }

  isHealthy(): boolean {
    return this.#isStarting || this.#worker.isHealthy()
  }

  activity(): WorkerActivity {
    return this.#worker.activity()
  }

  #announce(task: TaskRecord): void {
    this.#updates.add({
      task_id: task.id,
      type: task.kind,
      status: task.status,
      presentation_status: presentTask(task, this.#deps.clock.now()),
      subject: { type: task.subjectType, key: task.subjectKey },
    })
  }
}
