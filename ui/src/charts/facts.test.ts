import { describe, expect, test } from 'vitest'
import { formatAxisFigure, formatFigure, formatTick, toAxisSteps, toPercent, toSeriesFacts } from './chart-figures.ts'
import { foldLimit, type LanesData, rowHeight, toConnected, toLanesLayout } from './lanes-policy.ts'
import { toRunwayDays, toRunwayTone, toTopUp } from './runway-facts.ts'

describe('figures', () => {
  test('each unit has its form', () => {
    expect([
      formatFigure(1536, 'bytes'),
      formatFigure(1536.7, 'byte-rate'),
      formatFigure(12.34, 'rate'),
      formatFigure(99.95, 'percent'),
      formatFigure(2.5, 'count'),
      formatFigure(18_204, 'count'),
      formatFigure(null, 'count'),
    ]).toEqual(['1.5 KiB', '1.5 KiB/s', '12.3/s', '100%', '2.5', '18.2K', '—'])
  })

  test('labels of an axis of bytes are whole units', () => {
    const step = toAxisSteps('byte-rate')?.find((size) => size >= 15 * 1024 ** 2) ?? 0
    expect([1, 2, 3].map((at) => formatAxisFigure(at * step, 'byte-rate'))).toEqual(['16 MiB/s', '32 MiB/s', '48 MiB/s'])
    expect(toAxisSteps('count')).toBeUndefined()
  })

  test('facts of a series leave out what was not measured', () => {
    expect(toSeriesFacts([null, 3, 1, null, 2, null])).toEqual({ min: 1, max: 3, last: 2 })
    expect(toSeriesFacts([null])).toBeUndefined()
  })

  test('ticks have seconds within ten minutes, a time within two days and a date beyond', () => {
    expect(formatTick(1_795_000_000, 599)).toMatch(/^\d\d:\d\d:\d\d$/)
    expect(formatTick(1_795_000_000, 3600)).toMatch(/^\d\d:\d\d$/)
    expect(formatTick(1_795_000_000, 30 * 86_400)).toMatch(/^\d\d-\d\d$/)
  })

  test('shares of amounts beyond 2^53 stay within 0 and 100', () => {
    expect([toPercent('51000000000000000000', '142000000000000000000'), toPercent(5, 3), toPercent(-1, 3), toPercent(1, 0)]).toEqual([
      35.91, 100, 0, 0,
    ])
  })
})

describe('runway', () => {
  const facts = { balance: '142000000000000000000', lockup: '51000000000000000000', perDay: '2000000000000000000' }

  test('lasts until only the locked part is left', () => {
    expect([toRunwayDays(facts), toRunwayDays({ ...facts, perDay: '0' }), toRunwayDays({ ...facts, balance: '1' })]).toEqual([
      45.5,
      undefined,
      0,
    ])
  })

  test('is dangerous below 7 days and a warning below 30', () => {
    expect([undefined, 0, 6.9, 7, 29.9, 30].map(toRunwayTone)).toEqual(['neutral', 'danger', 'danger', 'warning', 'warning', 'success'])
  })

  test('a top-up brings exactly the missing base units', () => {
    expect([toTopUp(facts, 90), toTopUp(facts, 30)]).toEqual([89n * 10n ** 18n, 0n])
  })
})

describe('map', () => {
  const node = (id: string) => ({ id, label: id, tone: 'success', state: 'healthy' }) as const
  const set = (id: string, bucket: string, provider: string) => ({ ...node(id), bucket, provider })
  const data: LanesData = {
    buckets: [node('a'), node('b')],
    sets: [set('1', 'b', 'x'), set('2', 'a', 'x'), set('3', 'a', 'y')],
    providers: [node('x'), node('y'), node('idle')],
  }

  test('data sets stand in the order of their buckets', () => {
    expect(toLanesLayout(data, false).data.sets.map(({ id }) => id)).toEqual(['2', '3', '1'])
  })

  test('lines end at the middle of their nodes', () => {
    const { left, right, tops, height } = toLanesLayout(data, false)
    expect(height).toBe(3 * rowHeight)
    expect(left[0]).toMatchObject({ from: 'bucket:a', to: 'set:2', fromY: tops.bucket + rowHeight / 2, toY: rowHeight / 2 })
    expect(right[2]).toMatchObject({ from: 'set:1', to: 'provider:x', toY: rowHeight / 2 })
  })

  test('a data set of a provider that the API did not list has no line to it', () => {
    const { right } = toLanesLayout({ ...data, providers: [node('y')] }, false)
    expect(right.map(({ to }) => to)).toEqual(['provider:y'])
  })

  test('buckets past the limit are folded with what only they use', () => {
    const buckets = Array.from({ length: foldLimit + 5 }, (_, index) => node(`b${index}`))
    const many = {
      buckets,
      sets: buckets.map(({ id }, index) => set(id, id, index < foldLimit ? 'x' : 'y')),
      providers: data.providers,
    }
    const folded = toLanesLayout(many, false)
    expect([folded.folded, folded.data.sets.length, folded.data.providers.map(({ id }) => id)]).toEqual([5, foldLimit, ['x']])
    expect(toLanesLayout(many, true)).toMatchObject({ folded: 0, data: { providers: data.providers } })
  })

  test('a node is connected to what stores it', () => {
    expect([...toConnected(data, 'bucket:a')].sort()).toEqual(['bucket:a', 'provider:x', 'provider:y', 'set:2', 'set:3'])
    expect([...toConnected(data, 'provider:y')].sort()).toEqual(['bucket:a', 'provider:y', 'set:3'])
    expect([...toConnected(data, 'provider:idle')]).toEqual(['provider:idle'])
  })
})
