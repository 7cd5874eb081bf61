import { expect, onTestFinished, test } from 'vitest'
import { database, taskQueue } from '#kernel'
import { taskControl } from '#kernel/system'
import { createFakeClock, type FakeClock, promised, runSql, silentLog } from '#kernel/testing'
import type { TestRecord } from '../../providers/testing/index.ts'
import { listProviders, type ProviderHealth, refreshProviders } from '../providers/provider-api.ts'
import { type ProviderMode, type ProviderServer, startProvider } from '../testing/provider-server.ts'
import { type TestObservability, testObservability } from '../testing/test-observability.ts'
import { sampleBytes } from './describe-speed-test-policy.ts'
import { randomBody } from './random-body.ts'
import { speedTestTask, testMsMax } from './run-speed-test-task.ts'
import { startSpeedTest, type UploadSpeedTest } from './speed-test-api.ts'

const path = '/api/v1/observability/providers'

interface Scene {
  readonly svc: TestObservability
  readonly servers: readonly ProviderServer[]
  /** The registry; a test may change it. */
  readonly records: TestRecord[]
  start(providerId?: string): ReturnType<TestObservability['call']>
  shown(providerId?: string): Promise<ProviderHealth | undefined>
  result(providerId?: string): Promise<UploadSpeedTest | undefined>
  /** Resolves when no test is open. */
  ended(): Promise<void>
}

/** Two available providers. */
async function open(): Promise<Scene> {
  const servers = [await startProvider(), await startProvider()]
  const records: TestRecord[] = servers.map(({ url }) => ({ serviceUrl: url }))
  const svc = await testObservability({ records })
  onTestFinished(async () => {
    await svc.stop()
    for (const server of servers) await server[Symbol.asyncDispose]()
  })
  promised(refreshProviders, await svc.call('POST', `${path}/refresh`))
  const shown = async (id = '1') => promised(listProviders, await svc.call('GET', `${path}?provider_id=${id}`)).items[0]
  const hasOpen = () => svc.kernel.get(taskQueue).hasOpen(svc.kernel.get(database).read, 'provider_speed_test')
  return {
    svc,
    servers,
    records,
    start: (id = '1') => svc.call('POST', `${path}/${id}/upload-speed-test`),
    shown,
    result: async (id) => (await shown(id))?.upload_speed_test,
    ended: () => expect.poll(hasOpen, { timeout: 20_000 }).toBe(false),
  }
}

const [first, second] = [0, 1]
const at = ({ servers }: Scene, index: number): ProviderServer => servers[index] as ProviderServer

test('starts_202: a test of an available provider is a task, and the list says that it runs', async () => {
  const scene = await open()
  at(scene, first).mode = 'hangs in uploads'
  const uploading = at(scene, first).uploading()
  expect(promised(startSpeedTest, await scene.start())).toEqual({ task_id: expect.any(Number), state: 'testing' })
  await uploading
  expect(await scene.result()).toEqual({ state: 'testing', sample_bytes: sampleBytes })
})

test('unknown_404: a provider that is not registered', async () => {
  const scene = await open()
  expect(await scene.start('77')).toMatchObject({ status: 404, body: { code: 'provider_not_found' } })
  expect((await scene.start('one')).status).toBe(400)
})

test('ineligible_409: an inactive, an unreachable, an unapproved provider, and one whose check is stale', async () => {
  const scene = await open()
  scene.records[first] = { serviceUrl: at(scene, first).url, isActive: false }
  at(scene, second).mode = 'dark'
  scene.records.push({ serviceUrl: at(scene, first).url, isApproved: false })
  await scene.svc.call('POST', `${path}/refresh`)
  for (const id of ['1', '2', '3'])
    expect(await scene.start(id), id).toMatchObject({ status: 409, body: { code: 'speed_test_provider_ineligible' } })
  expect(at(scene, first).requests).toEqual([])
})

test('parallel_409: one test runs at a time, also of another provider, and of twenty requests one is accepted', async () => {
  const scene = await open()
  at(scene, first).mode = 'hangs in uploads'
  const answers = await Promise.all(Array.from({ length: 20 }, () => scene.start()))
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
  expect(answers.filter(({ status, body }) => status === 409 && body.code === 'speed_test_running')).toHaveLength(19)
  expect(await scene.start('2')).toMatchObject({ status: 409, body: { code: 'speed_test_running' } })
})

test('result_fields: rate, duration, bytes and time of the test', async () => {
  const scene = await open()
  await scene.start()
  await scene.ended()
  const result = await scene.result()
  expect(result).toEqual({
    state: 'succeeded',
    sample_bytes: 33_554_432,
    duration_ms: expect.any(Number),
    bytes_per_second: expect.any(Number),
    tested_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  })
  const { duration_ms: ms = 0, bytes_per_second: rate = 0 } = result ?? {}
  expect(rate).toBe(Math.round((33_554_432 / ms) * 1000))
  expect((await scene.shown())?.scorecard?.upload).toMatchObject({ calls: 1, failed: 0, bytes_per_second: expect.any(Number) })
})

test('no_piece_committed: the provider gets 32 MiB that are never named as a piece', async () => {
  const scene = await open()
  await scene.start()
  await scene.ended()
  expect(at(scene, first).uploadedBytes).toBe(33_554_432)
  expect(at(scene, first).requests).toEqual(['POST /pdp/piece/uploads', 'PUT /pdp/piece/uploads/<id>'])
})

const stale = { state: 'stale', sample_bytes: sampleBytes, tested_at: expect.any(String) }

test('stale_after_url_change: the figures of another URL are not shown, also when it changed during the test', async () => {
  const scene = await open()
  await scene.start()
  await scene.ended()
  scene.records[first] = { serviceUrl: `${at(scene, first).url}/moved` }
  await scene.svc.call('POST', `${path}/refresh`)
  expect(await scene.result()).toEqual(stale)
  // The provider moves while its test runs.
  at(scene, second).mode = 'hangs in uploads'
  const uploading = at(scene, second).uploading()
  await scene.start('2')
  await uploading
  scene.records[second] = { serviceUrl: at(scene, first).url }
  await scene.svc.call('POST', `${path}/refresh`)
  expect((await scene.result('2'))?.state).toBe('testing')
})

test('stale_when_url_missing: a provider whose record has no usable URL any more', async () => {
  const scene = await open()
  await scene.start()
  await scene.ended()
  scene.records[first] = { serviceUrl: 'ftp://provider.example' }
  await scene.svc.call('POST', `${path}/refresh`)
  expect(await scene.result()).toEqual(stale)
})

test.each<[ProviderMode, string]>([
  ['refuses', 'server_error'],
  // It closes the connection, which may be seen before the answer.
  ['answers early', 'unreadable_answer|connection_lost'],
  ['redirects', 'server_error'],
  ['floods', 'unreadable_answer'],
  ['has no sessions', 'unsupported'],
])('failure_keeps_previous_result: a provider that %s fails the test with %s, and the earlier figures stay', async (mode, code) => {
  const scene = await open()
  await scene.start()
  await scene.ended()
  const { state: _, ...figures } = (await scene.result()) as UploadSpeedTest
  at(scene, first).mode = mode
  expect((await scene.start()).status).toBe(202)
  await scene.ended()
  expect(await scene.result()).toEqual({ ...figures, state: 'failed', failure_code: expect.stringMatching(code) })
})

test('crash_marks_failed_and_frees_the_slot: a test that the service interrupted has failed, and another one may start', async () => {
  const scene = await open()
  at(scene, first).mode = 'hangs in uploads'
  const uploading = at(scene, first).uploading()
  await scene.start()
  await uploading
  await scene.svc.kernel.stop()
  const svc = await testObservability({ records: scene.records, dir: scene.svc.dir })
  onTestFinished(() => svc.stop())
  const shown = promised(listProviders, await svc.call('GET', `${path}?provider_id=1`)).items[0]?.upload_speed_test
  expect(shown).toEqual({ state: 'failed', sample_bytes: sampleBytes, failure_code: 'interrupted' })
  expect((await svc.call('POST', `${path}/1/upload-speed-test`)).status).toBe(202)
})

test('crash_marks_failed_and_frees_the_slot: after kill -9 the next run of the task fails, without another upload', async () => {
  const scene = await open()
  const { kernel } = scene.svc
  await kernel
    .get(database)
    .write((tx) => runSql(tx, `insert into provider_speed_tests (provider_id, task_id, state, started_at) values ('1', 1, 'testing', 5)`))
  expect(await runTask(scene, createFakeClock())).toMatchObject({ kind: 'fail', code: 'speed_test_interrupted', retryable: false })
  expect(await scene.result()).toEqual({ state: 'failed', sample_bytes: sampleBytes, failure_code: 'interrupted' })
  expect(at(scene, first).requests).toEqual([])
})

test('not_retryable: a failed test cannot be retried as a task', async () => {
  const scene = await open()
  at(scene, first).mode = 'refuses'
  const { body } = await scene.start()
  await scene.ended()
  const { kernel } = scene.svc
  expect(await kernel.get(database).write((tx) => kernel.get(taskControl).retry(tx, body.task_id))).toBe('not_retryable')
})

test('a test ends after 120 s, whatever the provider does', async () => {
  const scene = await open()
  at(scene, first).mode = 'hangs in uploads'
  const uploading = at(scene, first).uploading()
  const clock = createFakeClock()
  await scene.svc.kernel
    .get(database)
    .write((tx) => runSql(tx, `insert into provider_speed_tests (provider_id, task_id, state) values ('1', 1, 'testing')`))
  const run = runTask(scene, clock)
  await uploading
  await clock.advance(testMsMax)
  expect(await run).toMatchObject({ kind: 'fail', code: 'speed_test_timeout', retryable: false })
})

test('the random bytes are made block by block, in one block of memory, and differ', async () => {
  const blocks: Buffer[] = []
  const starts: string[] = []
  for await (const block of randomBody(4 * 1024 * 1024, () => undefined).open()) {
    blocks.push(block)
    starts.push(block.toString('hex', 0, 16))
  }
  expect(new Set(blocks.map(({ buffer }) => buffer)).size).toBe(1)
  expect(new Set(starts).size).toBe(4)
})

/** Runs the task of provider 1 with the id 1, outside the engine. */
const runTask = ({ svc, servers }: Scene, clock: FakeClock): Promise<unknown> =>
  speedTestTask.run({
    id: 1,
    args: { providerId: '1', serviceUrl: servers[0]?.url ?? '' },
    services: { providers: svc.providers, database: svc.kernel.get(database), clock, events: { publish: () => undefined } } as never,
    attempts: 0,
    nowMs: clock.now(),
    log: silentLog,
    signal: new AbortController().signal,
    fence: (given) => given,
    holdLease: async () => {},
    progressed: () => undefined,
  })
