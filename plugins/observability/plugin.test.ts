import { expect, test } from 'vitest'
import { configSections, defineMetric, definePlugin, defineSection, metricCollectors, setting } from '#kernel'
import { version } from '#kernel/system'
import { runsOnSqlite, type TestKernel, testKernel } from '#kernel/testing'
import { observabilityPlugin } from './plugin.ts'

const brokenMetrics = definePlugin({
  id: 'broken',
  contributes: [
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
const plugins = [observabilityPlugin, brokenMetrics]

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

test.runIf(runsOnSqlite())('the page shows the prepared statements of the database and their limit', async () => {
  await using svc = await testKernel({ plugins })
  const text = await scrape(svc)
  expect(Number(/^svc_database_statements (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
  expect(text).toContain('svc_database_statements_max 3000\n')
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

test('a disabled plugin serves no metrics', async () => {
  await using svc = await testKernel({ plugins, config: { 'plugins.disabled': ['observability'] } })
  expect(await svc.call('GET', '/metrics')).toMatchObject({ status: 404, body: { code: 'plugin_disabled' } })
})

test('setup mode has no metrics', async () => {
  const keys = { private_key: setting.secret({ label: 'Key', doc: 'The key.', required: true }) }
  const required = definePlugin({ id: 'wallet', contributes: [configSections.with(defineSection('chain', { doc: 'Keys.', keys }))] })
  await using svc = await testKernel({ plugins: [...plugins, required] })
  expect(svc.kernel.mode).toBe('setup')
  expect(await svc.call('GET', '/metrics')).toMatchObject({ status: 503, body: { code: 'setup_mode' } })
})
