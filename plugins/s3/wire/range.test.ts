import { assert, integer, property } from 'fast-check'
import { expect, test } from 'vitest'
import { resolveRange } from './range.ts'

const whole = { kind: 'whole' }
const unsatisfiable = { kind: 'unsatisfiable' }
const part = (first: number, last: number) => ({ kind: 'part', first, last })

test.each([
  [undefined, 10, whole],
  ['bytes=0-9', 10, part(0, 9)],
  ['bytes=2-5', 10, part(2, 5)],
  ['bytes=2-', 10, part(2, 9)],
  ['bytes=2-500', 10, part(2, 9)],
  ['bytes=-3', 10, part(7, 9)],
  ['bytes=-30', 10, part(0, 9)],
  ['bytes=10-', 10, unsatisfiable],
  ['bytes=10-20', 10, unsatisfiable],
  ['bytes=-0', 10, unsatisfiable],
  ['bytes=0-', 0, unsatisfiable],
  ['bytes=-5', 0, unsatisfiable],
  ['bytes=5-2', 10, whole],
  ['bytes=0-1,3-4', 10, whole],
  ['bytes=-', 10, whole],
  ['bytes=a-b', 10, whole],
  ['items=0-1', 10, whole],
  ['0-1', 10, whole],
])('%s of %i bytes', (header, size, resolved) => {
  expect(resolveRange(header, size)).toEqual(resolved)
})

test('every resolved part is within the object and starts at the requested byte', async () => {
  const bound = integer({ min: 0, max: 100 })
  await assert(
    property(bound, bound, bound, (from, to, size) => {
      const resolved = resolveRange(`bytes=${from}-${to}`, size)
      if (resolved.kind !== 'part') return
      expect(resolved.first).toBe(from)
      expect(resolved.last).toBeLessThan(size)
      expect(resolved.last).toBe(Math.min(to, size - 1))
    }),
  )
})
