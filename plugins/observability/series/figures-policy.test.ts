import { describe, expect, test } from 'vitest'
import { defineMetric } from '#kernel'
import type { ContributedItem, MetricCollector, MetricSeries } from '#kernel/system'
import { Histogram } from '#kernel/testing'
import { quantile, readColumns, readFigures, readIncrease } from './figures-policy.ts'

const family = (spec: Partial<MetricCollector>): ContributedItem<MetricCollector> => ({
  pluginId: 'test',
  services: {},
  item: defineMetric({ name: 'svc_things', help: '', type: 'gauge', labels: ['kind'], uses: {}, collect: async () => [], ...spec }),
})
const series = (name: string, more: Partial<MetricSeries> = {}): MetricSeries => ({ name, label: name, unit: 'count', ...more })
const figureOf = (spec: Partial<MetricCollector>) => readFigures([family(spec)], 100).kept[0] ?? expect.fail('left out')

test('counters are rates, gauges means, and a histogram has two quantiles', () => {
  const { shown, problems } = readFigures(
    [
      family({ type: 'counter', series: [series('done')] }),
      family({ series: [series('level')] }),
      family({ type: 'histogram', buckets: [1, 2], series: [series('took', { unit: 'seconds' })] }),
    ],
    100,
  )
  expect(problems).toEqual([])
  expect([...shown.values()].map(({ name, isRate }) => [name, isRate])).toEqual([
    ['done', true],
    ['level', false],
    ['took_p50', false],
    ['took_p99', false],
  ])
  expect(shown.get('done')?.read([10], 20_000)).toBe(0.5)
  expect(shown.get('level')?.read([60_000], 20_000)).toBe(3)
  expect(shown.get('took_p50')?.read([1, 1, 0], 20_000)).toBe(1)
})

test('declarations that cannot be kept are left out with the reason', () => {
  const { kept, problems } = readFigures(
    [
      family({ series: [series('a'), series('a'), series('Big'), series('b', { where: { colour: ['red'] } })] }),
      family({ type: 'histogram', buckets: [1, 2, 3], series: [series('wide')] }),
      family({ series: [series('c')] }),
    ],
    4,
  )
  expect(kept.map(({ series: { name } }) => name)).toEqual(['a', 'c'])
  expect(problems).toEqual([
    'a of svc_things: another series has this name',
    'Big of svc_things: the name must be lower case with underscores, at most 40 characters',
    'b of svc_things: the family has no label colour',
    'wide of svc_things: there are too many series',
  ])
})

describe('the present value of a figure', () => {
  const samples = [
    { labels: { kind: 'a' }, value: 1 },
    { labels: { kind: 'b' }, value: 2 },
    { labels: { kind: 'c' }, value: 4 },
  ]

  test('is the sum of the samples that it picks', () => {
    expect(readColumns(figureOf({ series: [series('all')] }), samples)).toEqual([7])
    expect(readColumns(figureOf({ series: [series('some', { where: { kind: ['a', 'c'] } })] }), samples)).toEqual([5])
  })

  test('is absent for a gauge without samples, and zero for a counter', () => {
    expect(readColumns(figureOf({ series: [series('level')] }), [])).toBeUndefined()
    expect(readColumns(figureOf({ type: 'counter', series: [series('done')] }), [])).toEqual([0])
    expect(readColumns(figureOf({ series: [series('level')] }), [{ labels: {}, value: Number.NaN }])).toBeUndefined()
  })

  test('of a histogram is a copy of its counts, which go on', () => {
    const seconds = new Histogram([1])
    seconds.add(0.5)
    const figure = figureOf({ type: 'histogram', buckets: [1], series: [series('took')] })
    const before = readColumns(figure, [{ labels: {}, value: seconds }])
    seconds.add(2)
    expect([before, readColumns(figure, [{ labels: {}, value: seconds }])]).toEqual([
      [1, 0],
      [1, 1],
    ])
  })
})

test('a counter that fell began anew: nothing is known of the time between', () => {
  expect(readIncrease([5, 1], [9, 1])).toEqual([4, 0])
  expect(readIncrease([5, 1], [9, 0])).toBeUndefined()
})

test.each([
  [[0, 0, 0], 0.5, null],
  [[4, 0, 0], 0.5, 0.5],
  [[0, 4, 0], 0.5, 1.5],
  [[1, 1, 2], 0.99, 2],
])('of the counts %j the quantile %d is %d', (counts, share, expected) => {
  expect(quantile(counts, [1, 2], share)).toBe(expected)
})
