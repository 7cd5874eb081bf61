import { expect, test } from 'vitest'
import { isSilent } from './silence-policy.ts'

const time = { nowMs: 1_000_000, intervalMs: 1000 }

test.each([
  ['was never pinged', null, null, false],
  ['answered', 999_000, 20, false],
  ['did not answer the last ping', 998_000, null, true],
  ['did not answer a ping of long ago', 997_999, null, false],
  ['did not answer a ping before the clock stepped back far', 1_002_001, null, false],
] as const)('a provider that %s', (_what, pingedAtMs, pingMs, silent) => {
  expect(isSilent({ pingedAtMs, pingMs }, time)).toBe(silent)
})
