import { parse } from '@decimalturn/toml-patch'
import { expect, test } from 'vitest'
import { describeTomlError } from './toml-error-policy.ts'

const value = 'expected a value: "text", a number, true, false, [list] or {table}'

test.each([
  ['[cache', 'line 1, column 7: expected "]" after the name of the table'],
  ['[[cache]', 'line 1, column 8: expected "]" after the name of the table'],
  ['a = 1\nb 2', 'line 2, column 3: expected "=" after the key'],
  ['key', 'line 1, column 4: expected "=" after the key'],
  ['= 1', 'line 1, column 1: expected a key before "="'],
  ['a = = 2', `line 1, column 5: ${value}`],
  ['a =', `line 1, column 1: ${value}`],
  ['a = tru', `line 1, column 5: ${value}`],
  ['a = 0xfeedz', `line 1, column 5: ${value}`],
  ['a = 01', `line 1, column 5: ${value}`],
  ['a = 2026-13-01', `line 1, column 5: ${value}`],
  ['a = "x', 'line 1, column 5: expected a closing quote'],
  ['a = "x\n', 'line 1, column 7: expected a closing quote'],
  ["a = 'x\n", 'line 1, column 7: expected a closing quote'],
  ['a = [1, 2\nb = 3', 'line 2, column 1: expected a comma or "]" in the list'],
  ['a = { b = 1', 'line 1, column 5: expected "}" after the inline table'],
  ['a = "x" y', 'line 1, column 9: expected the end of the line after the value'],
  ['[a]\nb = 1\n[a]', 'line 3, column 1: a table or key of this name is defined twice'],
  ['a = 1\na = 2', 'line 2, column 1: the key is defined twice'],
  ['a = "\\q"', 'line 1, column 5: unknown escape sequence after "\\" in a string'],
  ['a = "\u0000"', 'line 1, column 6: a control character in a string must be written as \\u and its four digits'],
])('%j is refused with: %s', (text, description) => {
  let thrown: unknown
  try {
    parse(text)
  } catch (error) {
    thrown = error
  }
  expect(describeTomlError(thrown)).toBe(description)
})

test('an unknown reason still gives the place', () => {
  expect(describeTomlError({ line: 3, column: 0, message: 'Something new' })).toBe('line 3, column 1: expected key = value or [table]')
})
