import { expect, test } from 'vitest'
import { benchPipeline } from './pipeline.ts'

test('objects are put, stored three times and measured, and every transaction is counted', { timeout: 120_000 }, async () => {
  const { rows } = await benchPipeline({ objects: 20, queued: 20 })
  const figureOf = (label: string) => rows.find((row) => row.label === label)?.value ?? Number.NaN
  expect(rows.map(({ label }) => label)).toEqual([
    'objects with 3 committed copies',
    'gateway CPU per PUT alone',
    'gateway CPU per stored object',
    'transactions per 1,000 objects',
    'fees per 1,000 objects',
    'peak memory while storing',
    'peak memory, 20 objects queued',
    'gateway CPU while 20 objects wait',
    'event-loop delay p99 while storing',
    'event-loop delay p99 of PUTs alone',
  ])
  expect(figureOf('objects with 3 committed copies')).toBeGreaterThan(0)
  expect(figureOf('gateway CPU per stored object')).toBeGreaterThan(figureOf('gateway CPU per PUT alone'))
  expect(rows.find(({ label }) => label === 'transactions per 1,000 objects')?.figures?.pieces).toBe(60)
})
