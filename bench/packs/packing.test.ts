import { expect, test } from 'vitest'
import { benchPacking } from './packing.ts'

test('a small run measures fees, speed and cold reads', { timeout: 300_000 }, async () => {
  const { rows } = await benchPacking({ objects: 200, single: 10, reads: 20 })
  const row = (label: string) => rows.find((row) => row.label.startsWith(label))
  const value = (label: string) => row(label)?.value ?? Number.NaN
  expect(value('fees per 1,000 single objects') / value('fees per 1,000 packed objects')).toBeGreaterThan(20)
  expect(value('packed objects with 3 copies')).toBeGreaterThan(0)
  expect(value('cold reads of 20 random members, p50')).toBeGreaterThan(0)
  // 13 chunks of 1 MiB. A busy machine asks a second provider for some of them.
  expect(row('cold members of 64 KiB in order, providers 50 ms away')?.figures?.requests).toBeLessThan(20)
  expect(rows.filter(({ value }) => !Number.isFinite(value))).toEqual([])
})
