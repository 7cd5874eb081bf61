import { expect, test } from 'vitest'
import { pendingText } from './pending-text-policy.ts'

test('each pending setting names its running and its next value', () => {
  expect(
    pendingText([
      { label: 'Cache size', running: 9, next: 11 },
      { label: 'Key' },
      { label: 'Disabled plugins', running: [], next: ['costs'] },
    ]),
  ).toBe('Cache size: 9 → 11. Key: changed. Disabled plugins: empty → costs.')
})

test('more than three are counted, and long values are cut', () => {
  const many = Array.from({ length: 5 }, (_, at) => ({ label: `S${at}`, running: 1, next: 2 }))
  expect(pendingText(many)).toBe('S0: 1 → 2. S1: 1 → 2. S2: 1 → 2. 2 more.')
  expect(pendingText([{ label: 'A', running: 'x'.repeat(50), next: 'y' }])).toBe(`A: ${'x'.repeat(40)}… → y.`)
})
