/** A task engine over a real database, with a manual clock and one kind whose runs are scripted by the test. */

import type { ContributedItem } from '../../core/contributions.ts'
import type { Database } from '../../db/database.ts'
import { type NoParams, sqlStatement } from '../../db/statement.ts'
import { silentLog } from '../../log/log.ts'
import { type } from '../../schema.ts'
import { watchActivity } from '../../testing/database-activity.ts'
import { createFakeClock, type FakeClock } from '../../testing/fake-clock.ts'
import type { Engine } from '../../testing/on-engines.ts'
import { getRow } from '../../testing/sql.ts'
import { openTestDatabase } from '../../testing/test-database.ts'
import { createTaskEngine, type EngineDeps } from '../engine/create-engine.ts'
import type { EngineWork, TaskEngine } from '../engine/engine.ts'
import { done, type Outcome } from '../outcome.ts'
import type { EnqueueOptions } from '../queue.ts'
import { taskMigrations } from '../rows/task-migrations.ts'
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

/** Uses the given engine, or SQLite. Leases follow the manual clock too. */
export async function openTasks(engine?: Engine): Promise<TestTasks> {
  const activity = watchActivity()
  const clock = createFakeClock(undefined, activity.isBusy)
  const schemas = [{ name: 'kernel', migrations: taskMigrations }]
  const database = await (engine ? engine.open(schemas, { clock }) : openTestDatabase(schemas, { clock }))
  return { database: activity.of(database), clock, path: database.dsn, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

/** The database, and the number of its writes since the last `take`: one for each claim, and one for each run that ended. */
export function countWrites(database: Database) {
  let writes = 0
  const counted: Database = {
    ...database,
    read: database.read,
    write(work) {
      writes += 1
      return database.write(work)
    },
  }
  const take = () => {
    const taken = writes
    writes = 0
    return taken
  }
  return { database: counted, take }
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

export const bind = <K>(item: K): ContributedItem<K> => ({ item, services: {}, pluginId: 'test' })

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
    enqueue: (kind, name = 'a', options = {}) => tasks.database.write((tx) => engine.queue.add(tx, kind, { name }, options)),
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

export async function readTask({ database }: TestTasks, id: number): Promise<StoredTask> {
  const task = await getRow<StoredTask>(database.read, 'select * from tasks where id = ?', id)
  if (task === undefined) throw new Error(`there is no task ${id}`)
  return task
}

const differences = sqlStatement<NoParams, { kind: string; status: string; counted: number | null; real: number | null }>(
  `with real as (
     select kind, status, case when acknowledged_at is null then 0 else 1 end as acknowledged, count(*) as n from tasks group by 1, 2, 3)
   select coalesce(c.kind, r.kind) as kind, coalesce(c.status, r.status) as status, c.n as counted, r.n as real
   from task_counts c full outer join real r on c.kind = r.kind and c.status = r.status and c.acknowledged = r.acknowledged
   where coalesce(c.n, 0) <> coalesce(r.n, 0)`,
)

/** Counters that differ from a count of the table. */
export const wrongCounters = async ({ database }: TestTasks): Promise<readonly unknown[]> => database.read.all(differences)

/** A promise settled by the test, for runs that wait for it. */
export const gate = () => Promise.withResolvers<void>()
