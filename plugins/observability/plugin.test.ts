import { expect, test } from 'vitest'
import {
  configSections,
  database,
  defineMetric,
  definePlugin,
  defineSection,
  defineTask,
  done,
  fail,
  metricCollectors,
  type Outcome,
  secret,
  taskKinds,
  taskQueue,
} from '#kernel'
import { type } from '#kernel/schema'
import { version } from '#kernel/system'
import { type TaskKind, type TestKernel, testKernel } from '#kernel/testing'
import { observabilityPlugin } from './plugin.ts'

const kind = (name: string, isRecurring = false, run: () => Promise<Outcome> = async () => done()) =>
  defineTask({
    kind: name,
    label: name,
    args: type({}),
    uses: {},
    attempts: 1,
    isRecurring,
    subject: () => ({ type: 'test', key: 'k' }),
    run,
  })

const work = kind('test_work')
const otherWork = kind('test_other_work')
const routine = kind('test_routine', true)
const failing = kind('test_failing', false, async () => fail('rejected', 'no', { retryable: true }))
const retired = kind('test_retired')

const storageFake = definePlugin({
  id: 'storage',
  contributes: [
    taskKinds.with(work, otherWork, routine, failing),
    metricCollectors.with(
      defineMetric({
        name: 'svc_broken',
        help: 'Always fails.',
        type: 'gauge',
        labels: [],
        uses: {},
        collect: () => Promise.reject(new Error('no answer')),
      }),
    ),
  ],
})
const plugins = [observabilityPlugin, storageFake]

/** Enqueues a task, by default one that is due in an hour. */
function plan({ kernel }: TestKernel, planned: TaskKind, delayMs = 3_600_000): Promise<unknown> {
  const queue = kernel.get(taskQueue)
  return kernel.get(database).write((tx) => queue.enqueue(tx, planned, {}, { runAtMs: Date.now() + delayMs }))
}

const scrape = async (svc: TestKernel): Promise<string> => (await svc.fetch('/metrics')).text()

test('the metrics are one text page that clients must not cache', async () => {
  await using svc = await testKernel({ plugins })
  const answer = await svc.fetch('/metrics')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const text = await answer.text()
  expect(text).toContain(`svc_build_info{version="${version.version}",commit="${version.commit}"} 1\n`)
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
  for (const line of text.split('\n')) expect(line).toMatch(/^$|^# (HELP|TYPE) \w+ .+|^\w+(\{.*\})? (-?[\d.e+-]+|Nan|[+-]Inf)$/)
})

test('metrics require authentication', async () => {
  await using svc = await testKernel({ plugins })
  const refused = await fetch(`${svc.url}/metrics`)
  expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'authentication_required' }])
})

test('a failed collector is counted on the page and costs only its own family', async () => {
  await using svc = await testKernel({ plugins })
  const text = await scrape(svc)
  expect(text).toContain('svc_metrics_failures_total{metric="svc_broken"} 1\n')
  expect(text).not.toContain('# TYPE svc_broken')
  expect(text).toContain('svc_build_info{')
})

test('the queue depth has every regular type from 0, and types that no enabled plugin handles; recurring types are left out', async () => {
  await using svc = await testKernel({ plugins })
  for (const planned of [work, work, retired, routine]) await plan(svc, planned)
  const depths = (await scrape(svc)).split('\n').filter((line) => line.startsWith('svc_task_queue_depth'))
  expect(depths).toEqual(
    expect.arrayContaining([
      'svc_task_queue_depth{type="test_other_work",status="pending"} 0',
      'svc_task_queue_depth{type="test_other_work",status="running"} 0',
      'svc_task_queue_depth{type="test_retired",status="pending"} 1',
      'svc_task_queue_depth{type="test_retired",status="running"} 0',
      'svc_task_queue_depth{type="test_work",status="pending"} 2',
      'svc_task_queue_depth{type="test_work",status="running"} 0',
    ]),
  )
  expect(depths.join()).not.toContain('test_routine')
})

test('finished task runs are counted by type and result, with their durations', async () => {
  await using svc = await testKernel({ plugins })
  for (const planned of [work, work, failing, routine]) await plan(svc, planned, 0)
  const series = (name: string, type: string, result: string) => `svc_worker_${name}{worker="tasks",task_type="${type}",result="${result}"}`
  const processed = (type: string, result: string) => series('tasks_processed_total', type, result)
  await expect
    .poll(async () => (await scrape(svc)).split('\n'))
    .toEqual(
      expect.arrayContaining([
        `${processed('test_work', 'success')} 2`,
        `${processed('test_work', 'failure')} 0`,
        `${processed('test_failing', 'failure')} 1`,
        `${processed('test_routine', 'success')} 1`,
        `${processed('test_other_work', 'retry')} 0`,
        `${processed('task_gc', 'wait')} 0`,
      ]),
    )
  const lines = (await scrape(svc)).split('\n')
  const seconds = (name: string, type: string) => series(`task_duration_seconds_${name}`, type, 'success')
  expect(lines).toContain('# TYPE svc_worker_task_duration_seconds histogram')
  expect(lines).toContain(`${seconds('bucket', 'test_work').replace('}', ',le="+Inf"}')} 2`)
  expect(lines).toContain(`${seconds('count', 'test_work')} 2`)
  expect(lines.find((line) => line.startsWith(seconds('sum', 'test_work')))).toMatch(/ [\d.e-]+$/)
  // Without runs there is no histogram.
  expect(lines.filter((line) => line.startsWith('svc_worker_task_duration') && line.includes('test_other_work'))).toEqual([])
})

test('a disabled plugin serves no metrics', async () => {
  await using svc = await testKernel({ plugins, config: { 'plugins.disabled': ['observability'] } })
  expect(await svc.call('GET', '/metrics')).toMatchObject({ status: 404, body: { code: 'plugin_disabled' } })
})

test('setup mode has no metrics', async () => {
  const keys = { private_key: secret({ label: 'Key', doc: 'The key.', required: true }) }
  const required = definePlugin({ id: 'wallet', contributes: [configSections.with(defineSection('chain', { doc: 'Keys.', keys }))] })
  await using svc = await testKernel({ plugins: [...plugins, required] })
  expect(svc.kernel.mode).toBe('setup')
  expect(await svc.call('GET', '/metrics')).toMatchObject({ status: 503, body: { code: 'setup_mode' } })
})
