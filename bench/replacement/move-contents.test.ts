import { expect, test } from 'vitest'
import { benchMove } from './move-contents.ts'

test('a replica moves while another bucket stores, and every piece and every figure is counted', { timeout: 400_000 }, async () => {
  const { rows } = await benchMove({ contents: 60, others: 10 })
  const rowOf = (label: string) => rows.find((row) => row.label === label)
  // One more content made the data sets.
  expect(rowOf('pieces per transaction')?.figures?.pieces).toBe(61)
  for (const { label, value } of rows) expect(value, label).toBeGreaterThan(0)
})
