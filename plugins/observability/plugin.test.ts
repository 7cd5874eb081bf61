import { expect, test } from 'vitest'
import {
  configSections,
  database,
  defineMetric,
  definePlugin,
  defineSection,
  defineTask,
  done,
  metricCollectors,
  secret,
  type TaskKind,
  taskKinds,
  taskQueue,
  version,
} from '#kernel'
import { type } from '#kernel/schema'
import { type TestKernel, testKernel } from '#kernel/testing'
import { observabilityPlugin } from './plugin.ts'

const kind = (name: string, isRecurring = false) =>
  defineTask({
    kind: name,
    label: name,
    args: type({}),
    uses: {},
    attempts: 1,
    isRecurring,
    subject: () => ({ type: 'test', key: 'k' }),
    run: async () => done(),
  })

const work = kind('test_work')
const otherWork = kind('test_other_work')
const routine = kind('test_routine', true)
const retired = kind('test_retired')

const storageStandIn = definePlugin({
  id: 'storage',
  contributes: [
    taskKinds.with(work, otherWork, routine),
    metricCollectors.with(
      defineMetric({
        name: 'svc_broken',
        help: 'Never there.',
        type: 'gauge',
        labels: [],
        uses: {},
        collect: () => Promise.reject(new Error('no answer')),
      }),
    ),
  ],
})
const plugins = [observabilityPlugin, storageStandIn]

/** Puts a task on record that is due in an hour. */
function plan({ kernel }: TestKernel, planned: TaskKind): Promise<unknown> {
  const queue = kernel.get(taskQueue)
  return kernel.get(database).write((tx) => queue.enqueue(tx, planned, {}, { runAtMs: Date.now() + 3_600_000 }))
}

const scrape = async (svc: TestKernel): Promise<string> => (await svc.fetch('/metrics')).text()

test('the metrics are one text for operators, and nobody keeps it', async () => {
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

test('nobody sees the metrics without signing in', async () => {
  await using svc = await testKernel({ plugins })
  const refused = await fetch(`${svc.url}/metrics`)
  expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'authentication_required' }])
})

test('a collector that fails leaves the page there, and the page says so', async () => {
  await using svc = await testKernel({ plugins })
  const text = await scrape(svc)
  expect(text).toContain('svc_metrics_failures_total{metric="svc_broken"} 1\n')
  expect(text).not.toContain('# TYPE svc_broken')
  expect(text).toContain('svc_build_info{')
})

test('tasks are counted by type and status, from zero and also when nobody handles them; routine is left out', async () => {
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

test('without the plugin there are no metrics', async () => {
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
