import { describe, expect, test } from 'vitest'
import { formatAxisFigure, formatFigure, formatTick, toAxisSteps, toPercent, toSeriesFacts } from './chart-figures.ts'

describe('figures', () => {
  test('each unit has its form', () => {
    expect([
      formatFigure(1536, 'bytes'),
      formatFigure(1536.7, 'byte-rate'),
      formatFigure(12.34, 'rate'),
      formatFigure(99.95, 'percent'),
      formatFigure(2.5, 'count'),
      formatFigure(18_204, 'count'),
      formatFigure(0.0123, 'seconds'),
      formatFigure(2.34, 'seconds'),
      formatFigure(0.012345, 'usdfc'),
      formatFigure(null, 'count'),
    ]).toEqual(['1.5 KiB', '1.5 KiB/s', '12.3/s', '100%', '2.5', '18.2K', '12 ms', '2.3 s', '0.0123 USDFC', '—'])
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
