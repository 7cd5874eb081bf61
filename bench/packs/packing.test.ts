import { expect, test } from 'vitest'
import { benchPacking } from './packing.ts'

test('a small run measures fees, speed and cold reads', { timeout: 300_000 }, async () => {
  const { rows } = await benchPacking({ objects: 200, single: 10, reads: 20, only: 'fees|cold' })
  const row = (label: string) => rows.find((row) => row.label.startsWith(label))
  const value = (label: string) => row(label)?.value ?? Number.NaN
  expect(value('fees per 1,000 single objects') / value('fees per 1,000 packed objects')).toBeGreaterThan(20)
  expect(value('packed objects with 3 copies')).toBeGreaterThan(0)
  expect(value('cold reads of 20 random members, p50')).toBeGreaterThan(0)
  // 13 chunks of 1 MiB. A busy machine asks a second provider for some of them.
  expect(row('cold members of 64 KiB in order, providers 50 ms away')?.figures?.requests).toBeLessThan(20)
  expect(rows.filter(({ value }) => !Number.isFinite(value))).toEqual([])
})

test('the memory is measured while objects wait for providers that refuse them', { timeout: 300_000 }, async () => {
  const { rows } = await benchPacking({ queued: 40, only: 'queued' })
  expect(rows.map(({ label }) => label)).toEqual([
    'peak memory, 40 packed objects queued',
    '… at the end',
    'gateway CPU per queued packed object',
    'gateway CPU while 40 packed objects wait',
    'event-loop delay p99 while they are put',
  ])
  const [peak, end] = rows
  const steps = peak?.figures?.steps as readonly number[]
  expect(steps).toHaveLength(11)
  expect(peak?.value).toBeGreaterThanOrEqual(Math.max(...steps, end?.value ?? Number.NaN))
  expect(peak?.value).toBeLessThan(300)
})

test('requests to a gateway with packing and to one without it alternate, and their ratio is reported', { timeout: 300_000 }, async () => {
  const { rows } = await benchPacking({ rounds: 1, share: 0.05, only: 'requests' })
  expect(rows.map(({ label }) => label)).toEqual([
    'GET 4 KiB: packing off',
    'GET 4 KiB: packing small',
    'GET 4 KiB with packing beside without',
    'PUT 4 KiB: packing off',
    'PUT 4 KiB: packing small',
    'PUT 4 KiB with packing beside without',
  ])
  for (const at of [0, 3]) {
    const [off, small, ratio] = rows.slice(at, at + 3)
    expect(ratio?.value).toBeCloseTo((100 * Number(small?.value)) / Number(off?.value))
    expect(ratio?.figures?.cpuRatio).toBeGreaterThan(0)
  }
})
