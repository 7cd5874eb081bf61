import { expect, test } from 'vitest'
import { benchPacking } from './packing.ts'

test('a small run measures fees, speed and cold reads', { timeout: 300_000 }, async () => {
  const { rows } = await benchPacking({ objects: 200, single: 10, reads: 20 })
  const value = (label: string) => rows.find((row) => row.label.startsWith(label))?.value ?? Number.NaN
  expect(value('fees per 1,000 single objects') / value('fees per 1,000 packed objects')).toBeGreaterThan(20)
  expect(value('packed objects with 3 copies')).toBeGreaterThan(0)
  expect(value('cold reads of 20 random members, p50')).toBeGreaterThan(0)
  expect(rows.filter(({ value }) => !Number.isFinite(value))).toEqual([])
})
