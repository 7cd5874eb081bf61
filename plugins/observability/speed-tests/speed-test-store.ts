import { type Params, type Reader, statementsOver, type TablesOf, type TaskQueue, type Tx } from '#kernel'
import type { speedTestEntity } from './speed-test-entity.ts'

/** The latest test of a provider, and the figures of its latest success. */
export interface SpeedTest {
  readonly providerId: string
  readonly taskId: number
  readonly state: 'testing' | 'succeeded' | 'failed'
  readonly failureCode: string | null
  readonly serviceUrl: string | null
  readonly bytesPerSecond: number | null
  readonly durationMs: number | null
  readonly testedAtMs: number | null
}

interface Key {
  readonly providerId: string
  readonly taskId: number
}

interface Success extends Key {
  readonly serviceUrl: string
  readonly bytesPerSecond: number
  readonly durationMs: number
  readonly sampleBytes: number
  readonly testedAtMs: number
}

const statement = statementsOver<TablesOf<typeof speedTestEntity>>()

const columns = [
  'provider_id as providerId',
  'task_id as taskId',
  'state',
  'failure_code as failureCode',
  'service_url as serviceUrl',
  'bytes_per_second as bytesPerSecond',
  'duration_ms as durationMs',
  'tested_at as testedAtMs',
] as const

const listAll = statement((db) => db.selectFrom('provider_speed_tests').select(columns))

const find = statement((db, { providerId }: Params<{ providerId: string }>) =>
  db.selectFrom('provider_speed_tests').select(columns).where('provider_id', '=', providerId),
)

const plan = statement((db, { providerId, taskId }: Params<Key>) => {
  const test = { task_id: taskId, state: 'testing', started_at: null, failure_code: null } as const
  return db
    .insertInto('provider_speed_tests')
    .values({ provider_id: providerId, ...test })
    .onConflict((conflict) => conflict.column('provider_id').doUpdateSet(test))
})

const begin = statement((db, { providerId, taskId, nowMs }: Params<Key & { nowMs: number }>) =>
  db
    .updateTable('provider_speed_tests')
    .set({ started_at: nowMs })
    .where('provider_id', '=', providerId)
    .where('task_id', '=', taskId)
    .where('state', '=', 'testing')
    .where('started_at', 'is', null),
)

const failOne = statement((db, { providerId, taskId, code }: Params<Key & { code: string }>) =>
  db
    .updateTable('provider_speed_tests')
    .set({ state: 'failed', failure_code: code })
    .where('provider_id', '=', providerId)
    .where('task_id', '=', taskId)
    .where('state', '=', 'testing'),
)

const failOpen = statement((db, { code }: Params<{ code: string }>) =>
  db.updateTable('provider_speed_tests').set({ state: 'failed', failure_code: code }).where('state', '=', 'testing'),
)

const succeed = statement((db, test: Params<Success>) =>
  db
    .updateTable('provider_speed_tests')
    .set({
      state: 'succeeded',
      failure_code: null,
      service_url: test.serviceUrl,
      bytes_per_second: test.bytesPerSecond,
      duration_ms: test.durationMs,
      sample_bytes: test.sampleBytes,
      tested_at: test.testedAtMs,
    })
    .where('provider_id', '=', test.providerId)
    .where('task_id', '=', test.taskId)
    .where('state', '=', 'testing'),
)

/** Deduplication key of the task: one test runs at a time. */
export const speedTestKey = 'provider_speed_test'

export const hasOpenTest = (queue: Pick<TaskQueue, 'hasOpen'>, reader: Reader): Promise<boolean> => queue.hasOpen(reader, speedTestKey)

/** Returns one row for each provider that was ever tested, by its id. */
export async function listSpeedTests(reader: Reader): Promise<ReadonlyMap<string, SpeedTest>> {
  return new Map((await reader.all(listAll)).map((test) => [test.providerId, test]))
}

export const findSpeedTest = (reader: Reader, providerId: string): Promise<SpeedTest | undefined> => reader.get(find, { providerId })

/** Keeps the figures of the last success. */
export async function planTest(tx: Tx, key: Key): Promise<void> {
  await tx.run(plan, { ...key })
}

/** False when the test began before, or ended. */
export async function beginTest(tx: Tx, key: Key, nowMs: number): Promise<boolean> {
  return (await tx.run(begin, { ...key, nowMs })).changes === 1
}

export async function recordFailure(tx: Tx, key: Key, code: string): Promise<void> {
  await tx.run(failOne, { ...key, code })
}

/** Ends tests whose task ended without a result. */
export async function failOpenTests(tx: Tx, code: string): Promise<void> {
  await tx.run(failOpen, { code })
}

export async function recordSuccess(tx: Tx, success: Success): Promise<void> {
  await tx.run(succeed, { ...success })
}
