import { expect, test } from 'vitest'
import { defineMetric } from '#kernel'
import type { ContributedItem, MetricCollector, MetricSample } from '#kernel/system'
import { createFakeClock, Histogram, silentLog } from '#kernel/testing'
import { createCollections } from './collections.ts'
import { createMetricsPage } from './metrics-page.ts'

type Collect = () => Promise<readonly MetricSample[]>

const family = (collect: Collect, spec: Partial<MetricCollector> = {}): ContributedItem<MetricCollector> => ({
  pluginId: 'test',
  services: {},
  item: defineMetric({ name: 'svc_things', help: 'Things.', type: 'gauge', labels: ['kind'], uses: {}, ...spec, collect }),
})

const three = async () => [{ labels: { kind: 'a' }, value: 3 }]

function page(...collectors: readonly ContributedItem<MetricCollector>[]) {
  const clock = createFakeClock()
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (_message: string, fields: unknown) => void warnings.push(fields) }
  return { clock, warnings, render: createMetricsPage({ collectors: () => collectors, collections: createCollections(clock), log }).render }
}

test('gauges and counters have help, type and samples; the metrics of the process follow', async () => {
  const { render } = page(family(three), family(three, { name: 'svc_done_total', type: 'counter' }))
  const text = await render()
  expect(text).toContain('# HELP svc_things Things.\n# TYPE svc_things gauge\nsvc_things{kind="a"} 3\n')
  expect(text).toContain('# TYPE svc_done_total counter\nsvc_done_total{kind="a"} 3\n')
  expect(text).toMatch(/\nprocess_cpu_seconds_total [\d.]+\n/)
  expect(text).toMatch(/^nodejs_heap_size_used_bytes \d+$/m)
})

test('label values are escaped', async () => {
  const { render } = page(family(async () => [{ labels: { kind: 'a"b\\c\nd' }, value: 1 }]))
  expect(await render()).toContain('svc_things{kind="a\\"b\\\\c\\nd"} 1\n')
})

const broken: readonly (readonly [string, Collect, Partial<MetricCollector>])[] = [
  ['rejects', () => Promise.reject(new Error('no answer')), {}],
  [
    'throws',
    () => {
      throw new Error('no answer')
    },
    {},
  ],
  ['returns an undeclared label', async () => [{ labels: { colour: 'red' }, value: 1 }], {}],
  ['returns a negative counter', async () => [{ labels: {}, value: -1 }], { type: 'counter' }],
  ['has a duplicate name', async () => [{ labels: {}, value: 1 }], { name: 'svc_things' }],
  ['returns a distribution for a gauge', async () => [{ labels: {}, value: new Histogram([1]) }], {}],
  ['returns a number for a histogram', async () => [{ labels: {}, value: 1 }], { type: 'histogram', buckets: [1] }],
  ['returns other buckets than declared', async () => [{ labels: {}, value: new Histogram([1]) }], { type: 'histogram', buckets: [1, 2] }],
  [
    'returns an undeclared histogram label',
    async () => [{ labels: { le: '1' }, value: new Histogram([1]) }],
    { type: 'histogram', buckets: [1] },
  ],
]

test('a histogram has cumulative buckets, a sum and a count', async () => {
  const seconds = new Histogram([0.1, 1])
  for (const value of [0.1, 0.5, 0.6, 7]) seconds.add(value)
  const collect = async () => [{ labels: { kind: 'a' }, value: seconds }]
  const { render } = page(family(collect, { name: 'svc_things_seconds', type: 'histogram', buckets: [0.1, 1] }))
  expect(await render()).toContain(
    `# HELP svc_things_seconds Things.
# TYPE svc_things_seconds histogram
svc_things_seconds_bucket{kind="a",le="0.1"} 1
svc_things_seconds_bucket{kind="a",le="1"} 3
svc_things_seconds_bucket{kind="a",le="+Inf"} 4
svc_things_seconds_sum{kind="a"} 8.2
svc_things_seconds_count{kind="a"} 4
`,
  )
})

test.each(broken)('a collector that %s costs only its family; the failure is logged and counted', async (_, collect, spec) => {
  const name = spec.name ?? 'svc_broken'
  const { render, warnings } = page(family(three), family(collect, { name, ...spec }))
  await render()
  const text = await render()
  expect(text).toContain('svc_things{kind="a"} 3\n')
  expect(text).not.toContain('# TYPE svc_broken')
  expect(text).toContain(`svc_metrics_failures_total{metric="${name}"} 2\n`)
  expect(warnings).toEqual(Array(2).fill({ metric: name, plugin: 'test', error: expect.any(Error) }))
})

test('a hanging collector delays the page by at most five seconds, and is not called again while it runs', async () => {
  let calls = 0
  const stuck = () => {
    calls += 1
    return new Promise<never>(() => {})
  }
  const { render, clock } = page(family(three), family(stuck, { name: 'svc_stuck' }))
  for (const times of [1, 2]) {
    const rendering = render()
    await clock.advance(5000)
    const text = await rendering
    expect(text).toContain('svc_things{kind="a"} 3\n')
    expect(text).toContain(`svc_metrics_failures_total{metric="svc_stuck"} ${times}\n`)
  }
  expect(calls).toBe(1)
})

test('samples that miss the deadline of one page are on the next', async () => {
  const slow = Promise.withResolvers<readonly MetricSample[]>()
  const { render, clock } = page(family(() => slow.promise, { keepMs: 1000 }))
  const rendering = render()
  await clock.advance(5000)
  expect(await rendering).not.toContain('# TYPE svc_things')
  slow.resolve(await three())
  expect(await render()).toContain('svc_things{kind="a"} 3\n')
})

function counting(clock: { readonly sleep: (ms: number) => Promise<void> }, workMs: number) {
  let calls = 0
  return {
    calls: () => calls,
    collect: async () => {
      calls += 1
      if (workMs > 0) await clock.sleep(workMs)
      return three()
    },
  }
}

test.each([
  ['without keepMs, at every scrape', undefined, 0, [1, 2, 3]],
  ['with keepMs, at most once in that time', 30_000, 0, [1, 1, 2]],
  ['at most 5 % of the time', 30_000, 3000, [1, 1, 1]],
])('a collector is called %s', async (_, keepMs, workMs, expected) => {
  const clock = createFakeClock()
  const counter = counting(clock, workMs)
  const collectors = [family(counter.collect, keepMs === undefined ? {} : { keepMs })]
  const { render } = createMetricsPage({ collectors: () => collectors, collections: createCollections(clock), log: silentLog })
  const calls: number[] = []
  for (const pauseMs of [29_000, 2000, 0]) {
    const rendering = render()
    await clock.advance(workMs)
    expect(await rendering).toContain('svc_things{kind="a"} 3\n')
    calls.push(counter.calls())
    await clock.advance(pauseMs)
  }
  expect(calls).toEqual(expected)
})

test('concurrent requests share one page', async () => {
  const clock = createFakeClock()
  const counter = counting(clock, 0)
  const { render } = page(family(counter.collect))
  const [first, second] = await Promise.all([render(), render()])
  expect(second).toBe(first)
  expect(counter.calls()).toBe(1)
})
