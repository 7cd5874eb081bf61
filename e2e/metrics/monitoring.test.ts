/** The dashboard and the alerts of docs/monitoring name only metrics and labels that a gateway with all plugins exposes. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { metricCollectors } from '#kernel'
import { contributions } from '#kernel/system'
import { promised, testKernel } from '#kernel/testing'
import { builtinPlugins } from '../../plugins/index.ts'
import { listSeries } from '../../plugins/observability/api.ts'

const config = {
  'server.port': '127.0.0.1:0',
  'chain.private_key': `0x${'1'.repeat(64)}`,
  // The discard port: nothing listens there.
  'chain.rpc_url': 'http://127.0.0.1:9',
  'cache.max_size_gb': 1,
}
const folder = fileURLToPath(new URL('../../docs/monitoring/', import.meta.url))
const read = (name: string) => readFileSync(folder + name, 'utf8')

/** Labels by name as in queries: a histogram has three. */
const exposed = new Map<string, ReadonlySet<string>>()

/** Values by name and label, of families that have samples from the start. */
const shown = new Map<string, ReadonlySet<string>>()

/** Time series of the API. */
const seriesNames = new Set<string>()

beforeAll(async () => {
  await using svc = await testKernel({ plugins: builtinPlugins, config })
  for (const { item } of svc.kernel.get(contributions).to(metricCollectors)) {
    const { name, type, labels } = item
    if (type !== 'histogram') exposed.set(name, new Set(labels))
    else for (const suffix of ['_bucket', '_sum', '_count']) exposed.set(name + suffix, new Set([...labels, 'le']))
  }
  const page = await (await svc.fetch('/metrics')).text()
  for (const [, name = '', labels = ''] of page.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
    for (const [, label, value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      const place = `${name} ${label}`
      shown.set(place, new Set(shown.get(place)).add(value))
    }
  }
  for (const [, name = ''] of page.matchAll(/^((?:process|nodejs)_\w+)/gm)) exposed.set(name, new Set())
  exposed.set('svc_metrics_failures_total', new Set(['metric']))
  const { body } = await svc.call('GET', '/api/v1/observability/series/names')
  for (const { name } of promised(listSeries, { status: 200, body }).series) seriesNames.add(name)
  // Prometheus adds it to every target.
  exposed.set('up', new Set())
})

/** Set by Prometheus for every sample. */
const targetLabels = ['job', 'instance']
const words = new Set(
  'and or unless on ignoring without by sum min max rate increase absent histogram_quantile min_over_time label_values bool'.split(' '),
)

/** Names of metrics with the labels that the query asks of them, and the labels that it groups by. */
function readQuery(query: string) {
  const grouped = [...query.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  )
  const bare = query.replace(/\b(?:by|without|on)\s*\([^)]*\)/g, ' ').replace(/\[[^\]]*\]/g, ' ')
  const metrics = [...bare.matchAll(/\b([a-z_][a-z0-9_]*)\b(?:\s*\{([^}]*)\})?/g)].flatMap(({ 1: name = '', 2: matchers = '', index }) =>
    words.has(name) || isInBraces(bare, index)
      ? []
      : [
          {
            name,
            matchers: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', value = '']) => ({ label, value })),
          },
        ],
  )
  return { metrics, grouped }
}

const isInBraces = (text: string, at: number) => text.lastIndexOf('{', at) > text.lastIndexOf('}', at)

const dashboard = JSON.parse(read('grafana.json')) as {
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] }
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}
const alerts = read('alerts.yml')

/** The expressions: on one line, or a block that ends at the next key of the rule. */
const alertQueries = [...alerts.matchAll(/^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(([, block, line]) => block ?? line ?? '')
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets)

function problemsOf(query: string): readonly string[] {
  const { metrics, grouped } = readQuery(query)
  const known = new Set([...targetLabels, ...metrics.flatMap(({ name }) => [...(exposed.get(name) ?? [])])])
  return [
    ...metrics.flatMap(({ name, matchers }) => {
      const has = exposed.get(name)
      if (!has) return [`no metric ${name} in: ${query}`]
      const asked = matchers.filter(({ label }) => !targetLabels.includes(label))
      return asked.flatMap(({ label, value }) => {
        if (!has.has(label)) return [`${name} has no label ${label}`]
        const values = shown.get(`${name} ${label}`)
        return value.split('|').flatMap((one) => (!values || values.has(one) ? [] : [`${name} has no ${label} ${one}`]))
      })
    }),
    ...grouped.filter((label) => !known.has(label)).map((label) => `no label ${label} in: ${query}`),
  ]
}

test('a query with an unknown metric, label, value or grouping is found', () => {
  expect(problemsOf('svc_object_state_distribution{state=~"stored|lost"}')).toEqual(['svc_object_state_distribution has no state lost'])
  expect(problemsOf('sum by (colour) (rate(svc_cache_hits_total{kind="a"}[5m])) / svc_nothing')).toEqual([
    'svc_cache_hits_total has no label kind',
    'no metric svc_nothing in: sum by (colour) (rate(svc_cache_hits_total{kind="a"}[5m])) / svc_nothing',
    'no label colour in: sum by (colour) (rate(svc_cache_hits_total{kind="a"}[5m])) / svc_nothing',
  ])
})

test('the wallet is kept over time: its runway, what is available and what is spent', () => {
  for (const name of ['wallet_runway', 'wallet_available', 'spending']) expect(seriesNames).toContain(name)
})

test('every alert asks for metrics and labels that exist', () => {
  expect(alertQueries.length).toBe((alerts.match(/- alert: /g) ?? []).length)
  expect(alertQueries.flatMap(problemsOf)).toEqual([])
})

test('every alert has a severity, a summary and the next step, and the guide explains it', () => {
  const guide = read('../guide/monitoring.md')
  for (const rule of alerts.split(/- alert: /).slice(1)) {
    expect(rule).toMatch(/severity: (warning|critical)/)
    expect(rule).toMatch(/^ {10}summary: .{10}/m)
    expect(rule).toMatch(/^ {10}next_step: .{10}/m)
    expect(guide).toContain(`\`${rule.split('\n')[0]}\``)
  }
})

test('every panel of the dashboard asks for metrics and labels that exist, through its data source', () => {
  expect(panelQueries.length).toBeGreaterThan(40)
  expect(panelQueries.flatMap(({ expr }) => problemsOf(expr))).toEqual([])
  expect(dashboard.templating.list.filter(({ type }) => type === 'datasource').map(({ name }) => name)).toEqual(['datasource'])
  expect(JSON.stringify(dashboard)).not.toMatch(/"uid":"(?!svc-gateway|\$\{datasource\})/)
})

test('legends name labels of their query', () => {
  const wrong = panelQueries.flatMap(({ expr, legendFormat }) => {
    const { metrics, grouped } = readQuery(expr)
    const known = grouped.length > 0 ? grouped : metrics.flatMap(({ name }) => [...(exposed.get(name) ?? [])])
    return [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, label = '']) => (known.includes(label) ? [] : [`${label} of ${expr}`]))
  })
  expect(wrong).toEqual([])
})

test('the dashboard shows every family of svc', () => {
  const drawn = new Set(panelQueries.flatMap(({ expr }) => readQuery(expr).metrics.map(({ name }) => name)))
  const families = [...exposed.keys()].filter((name) => name.startsWith('svc_') && !/_(sum|count)$/.test(name))
  expect(families.filter((name) => !drawn.has(name))).toEqual([])
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.runIf(hasPromtool).each([
  ['check rules', ['check', 'rules', 'alerts.yml']],
  ['test rules', ['test', 'rules', 'alerts.test.yml']],
])('promtool %s', (_name, args) => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
})
