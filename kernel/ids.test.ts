import { expect, test } from 'vitest'
import { newUlid } from './ids.ts'

test('ids of one millisecond differ in their last 16 characters, and later ids sort behind them', () => {
  const ids = Array.from({ length: 1000 }, () => newUlid(1_700_000_000_000))
  expect(new Set(ids).size).toBe(1000)
  expect(new Set(ids.map((id) => id.slice(0, 10)))).toEqual(new Set(['01HF7YAT00']))
  expect(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true)
  expect([...ids, newUlid(1_700_000_000_001)].sort().at(-1)).toMatch(/^01HF7YAT01/)
})
