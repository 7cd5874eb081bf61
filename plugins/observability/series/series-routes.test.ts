import { expect, test } from 'vitest'
import { defineMetric, definePlugin, metricCollectors } from '#kernel'
import { createFakeClock, testKernel } from '#kernel/testing'
import { observabilityPlugin } from '../plugin.ts'

const own = definePlugin({
  id: 'own',
  contributes: [
    metricCollectors.with(
      defineMetric({
        name: 'svc_own_level',
        help: 'A level.',
        type: 'gauge',
        labels: [],
        uses: {},
        series: [{ name: 'own_level', label: 'Own level', unit: 'usdfc' }],
        collect: async () => [{ labels: {}, value: 5 }],
      }),
    ),
  ],
})
const plugins = [observabilityPlugin, own]
const path = '/api/v1/observability/series'
const start = () => testKernel({ plugins, clock: createFakeClock(Date.UTC(2026, 0, 31, 12, 0, 10)) })

test('a series of another plugin is listed, measured and answered; its gaps are null', async () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 31, 12, 0, 10))
  await using svc = await testKernel({ plugins, clock })
  const described = { name: 'own_level', label: 'Own level', unit: 'usdfc', per_second: false }
  expect((await svc.call('GET', `${path}/names`)).body.series).toContainEqual(described)
  await clock.advance(60_000)
  expect((await svc.call('GET', `${path}?names=own_level&from=2026-01-31T11:59:50Z&step=20`)).body).toEqual({
    from: '2026-01-31T11:59:40Z',
    step_seconds: 20,
    series: [{ ...described, values: [null, 5, 5, 5] }],
  })
  const hours = await svc.call('GET', `${path}?names=own_level&from=-1h&step=3600`)
  expect(hours.body.series[0].values).toEqual([null, 5])
})

test.each([
  ['names=own_level&from=-1h&step=30', 'series_range_invalid'],
  ['names=own_level&from=-1h', 'invalid_request'],
  ['names=own_level&step=20', 'invalid_request'],
  ['names=own_level&from=yesterday&step=20', 'series_range_invalid'],
  ['names=own_level&from=-1h&step=20&to=now', 'invalid_request'],
  ['names=&from=-1h&step=20', 'invalid_request'],
  ['names=own_level,nothing&from=-1h&step=20', 'series_unknown'],
  ['names=own_level&names=own_level&from=-1h&step=20', 'invalid_request'],
  ['names=own_level&from=-25h&step=20', 'series_range_invalid'],
  [`names=${Array(33).fill('own_level').join(',')}&from=-1h&step=20`, 'invalid_request'],
  ['names=own_level&from=-1h&step=1e2', 'invalid_request'],
])('%s is refused with %s', async (query, code) => {
  await using svc = await start()
  expect(await svc.call('GET', `${path}?${query}`)).toMatchObject({ status: 400, body: { code } })
})

test('the answer is bounded: a day of 20 second steps of many series is refused', async () => {
  const many = definePlugin({
    id: 'many',
    contributes: Array.from({ length: 10 }, (_, index) =>
      metricCollectors.with(
        defineMetric({
          name: `svc_many_${index}`,
          help: 'A level.',
          type: 'gauge',
          labels: [],
          uses: {},
          series: [{ name: `many_${index}`, label: 'Many', unit: 'count' }],
          collect: async () => [],
        }),
      ),
    ),
  })
  await using svc = await testKernel({ plugins: [observabilityPlugin, many] })
  const names = Array.from({ length: 10 }, (_, index) => `many_${index}`)
  const ask = (count: number) => svc.call('GET', `${path}?names=${names.slice(0, count)}&from=-24h&step=20`)
  expect((await ask(9)).status).toBe(200)
  expect(await ask(10)).toMatchObject({ status: 400, body: { code: 'series_range_invalid' } })
})

test('the series need operator credentials, and those of a disabled plugin say so', async () => {
  await using svc = await start()
  expect((await fetch(`${svc.url}${path}/names`)).status).toBe(401)
  await using off = await testKernel({ plugins, config: { 'plugins.disabled': ['observability'] } })
  expect(await off.call('GET', `${path}/names`)).toMatchObject({ status: 404, body: { code: 'plugin_disabled' } })
})

test('the memory of the series and its limit are metrics', async () => {
  await using svc = await start()
  const page = await (await svc.fetch('/metrics')).text()
  expect(page).toContain('svc_memory_budget_bytes{part="time_series"} 8388608\n')
  expect(page).toMatch(/^svc_memory_used_bytes\{part="time_series"\} \d+$/m)
})
