/** A task engine over a real SQLite file, with a manual clock and one kind whose runs are scripted by the test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../db/database.ts'
import { silentLog } from '../../log.ts'
import { openKernelDatabase } from '../../open-kernel-database.ts'
import { type } from '../../schema.ts'
import { createFakeClock, type FakeClock } from '../../testing/fake-clock.ts'
import { createTaskEngine, type EngineDeps } from '../create-engine.ts'
import type { Bound, EngineWork, TaskEngine } from '../engine.ts'
import { done, type Outcome } from '../outcome.ts'
import type { EnqueueOptions } from '../queue.ts'
import { defineTask, type TaskKind, type TaskRun, type TaskSpec } from '../task.ts'

export type Run = TaskRun<{ readonly name: string }, Record<never, never>>
export type Script = (run: Run) => Promise<Outcome> | Outcome

export interface TestTasks extends AsyncDisposable {
  readonly database: Database
  readonly clock: FakeClock
  readonly path: string
}

export const leaseMs = 60_000
export const pollMs = 5000
export const settings = {
  concurrency: 12,
  poll_interval: pollMs,
  lease_duration: leaseMs,
  max_retries: 2,
  retention: 7 * 86_400_000,
}

export async function openTasks(): Promise<TestTasks> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-tasks-'))
  const path = join(dir, 'svc.db')
  const database = await openKernelDatabase(path, { enabled: [], disabled: [] })
  await database.migrate()
  return {
    database,
    clock: createFakeClock(),
    path,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true })
    },
  }
}

export function scriptedKind(script: Script, spec: Partial<TaskSpec<{ readonly name: string }, Record<never, never>>> = {}) {
  return defineTask({
    kind: 'work',
    label: 'Do work',
    args: type({ name: 'string' }),
    uses: {},
    subject: ({ name }) => ({ type: 'thing', key: name }),
    run: async (run) => script(run),
    ...spec,
  })
}

export const finished: Script = () => done()

export const bind = <K>(item: K): Bound<K> => ({ item, services: {}, pluginId: 'test' })

export interface RunningEngine extends AsyncDisposable {
  readonly engine: TaskEngine
  enqueue(kind: TaskKind, name?: string, options?: EnqueueOptions): Promise<number>
  stop(): Promise<void>
}

/** An engine that has started; a second one may be started over the same tasks. */
export async function startEngine(
  tasks: TestTasks,
  work: Partial<EngineWork> & { readonly deps?: Partial<EngineDeps> },
): Promise<RunningEngine> {
  const { deps, ...plugins } = work
  const engine = createTaskEngine({ ...tasks, log: silentLog, settings, random: () => 0.5, ...deps })
  await engine.start({ kinds: [], lanes: [], schedules: [], recoveries: [], dueTimes: [], ...plugins })
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await engine.stop()
    isStopped = true
  }
  return {
    engine,
    enqueue: (kind, name = 'a', options = {}) => tasks.database.write((tx) => engine.queue.enqueue(tx, kind, { name }, options)),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

interface StoredTask {
  readonly id: number
  readonly kind: string
  readonly status: string
  readonly key: string | null
  readonly run_at: number
  readonly again_at: number | null
  readonly attempts: number
  readonly wait_reason: string | null
  readonly message: string | null
  readonly error_code: string | null
  readonly last_error: string | null
  readonly lease_seq: number
  readonly lease_owner: string | null
  readonly failed_at: number | null
}

export function readTask({ database }: TestTasks, id: number): StoredTask {
  const task = database.read.get<StoredTask>('select * from tasks where id = ?', id)
  if (task === undefined) throw new Error(`there is no task ${id}`)
  return task
}

/** Counters that differ from a count of the table. */
export function wrongCounters({ database }: TestTasks): readonly unknown[] {
  return database.read.all(
    `with real as (select kind, status, acknowledged_at is not null as acknowledged, count(*) as n from tasks group by 1, 2, 3)
     select coalesce(c.kind, r.kind) as kind, coalesce(c.status, r.status) as status, c.n as counted, r.n as real
     from task_counts c full outer join real r on c.kind = r.kind and c.status = r.status and c.acknowledged = r.acknowledged
     where coalesce(c.n, 0) <> coalesce(r.n, 0)`,
  )
}

/** A promise settled by the test, for runs that wait for it. */
export const gate = () => Promise.withResolvers<void>()
