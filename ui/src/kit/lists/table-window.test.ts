import { expect, test } from 'vitest'
import { growTo, toRowWindow, wholeListLimit } from './table-window.ts'

const place = { count: 10_000, rowHeight: 44, viewHeight: 616 }

test('a short list is in the document whole', () => {
  expect(toRowWindow({ ...place, count: wholeListLimit, scrollTop: 900 })).toEqual({ start: 0, end: wholeListLimit, above: 0, below: 0 })
})

test.each([0, 1, 43, 5000, 219_999, 439_384, 1e9, -50])('at %s pixels every row in view is in the document', (scrollTop) => {
  const { start, end } = toRowWindow({ ...place, scrollTop })
  const top = Math.min(Math.max(0, scrollTop), 10_000 * 44 - 616)
  expect(start).toBeLessThanOrEqual(Math.floor(top / 44))
  expect(end).toBeGreaterThanOrEqual(Math.min(10_000, Math.ceil((top + 616) / 44)))
  expect(end - start).toBeLessThan(60)
})

test('rows and spacers together have the height of the list', () => {
  for (const scrollTop of [0, 12_345, 439_000]) {
    const { start, end, above, below } = toRowWindow({ ...place, scrollTop })
    expect(above + (end - start) * 44 + below).toBe(440_000)
  }
})

test('scrolling by one row seldom moves the window', () => {
  const starts = new Set(Array.from({ length: 80 }, (_, row) => toRowWindow({ ...place, scrollTop: 44_000 + row * 44 }).start))
  expect(starts.size).toBeLessThanOrEqual(11)
})

test('a window grows to the next one before rows leave, and rows that are far away replace it', () => {
  const at = (scrollTop: number) => toRowWindow({ count: 1000, rowHeight: 40, scrollTop, viewHeight: 800 })
  const [first, next, far] = [at(0), at(1600), at(20_000)]
  expect(growTo(first, next)).toEqual({ start: first.start, above: first.above, end: next.end, below: next.below })
  expect(growTo(next, first)).toEqual({ start: first.start, above: first.above, end: next.end, below: next.below })
  expect(growTo(first, far)).toBe(far)
  expect(growTo(far, first)).toBe(first)
  expect(growTo(first, at(1))).toBe(first)
})
