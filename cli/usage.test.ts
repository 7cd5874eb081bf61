import { expect, test } from 'vitest'
import { formatFacts } from './terminal/table.ts'
import { requireConfirmation } from './usage.ts'

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

test('an action without --yes is a usage error', () => {
  requireConfirmation(true, 'deleting x')
  expect(() => requireConfirmation(false, 'deleting x')).toThrow('deleting x must be confirmed with --yes')
})
