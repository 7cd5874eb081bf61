import { expect, test } from 'vitest'
import { formatFacts } from './terminal/table.ts'
import { requireConfirmation, requireWhole } from './usage.ts'

test('label lines omit empty values and control characters', () => {
  expect(
    formatFacts([
      ['Key', 'a\n\u001b[31mb'],
      ['Count', 0],
      ['None', undefined],
      ['Empty', ''],
    ]),
  ).toBe('Key: a [31mb\nCount: 0')
})

test.each([0, 9, 1.5, Number.NaN])('--copies %d is a usage error', (value) => {
  expect(() => requireWhole('--copies', value, 8)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining('1 to 8') }),
  )
})

test('a whole number in range, or no number, is accepted', () => {
  for (const value of [1, 8, undefined]) requireWhole('--copies', value, 8)
})

test('an action without --yes is a usage error', () => {
  requireConfirmation(true, 'deleting x')
  expect(() => requireConfirmation(undefined, 'deleting x')).toThrow('deleting x must be confirmed with --yes')
})
