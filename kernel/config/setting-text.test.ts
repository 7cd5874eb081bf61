import { expect, test } from 'vitest'
import { readSettingText } from './setting-text.ts'

test.each([
  ['integer', '12', 12],
  ['integer', 'twelve', 'twelve'],
  ['flag', 'true', true],
  ['flag', 'yes', 'yes'],
  ['list', 'a, b,,c', ['a', 'b', 'c']],
  ['list', '', []],
  ['duration', '5m', '5m'],
  ['text', '12', '12'],
] as const)('%s "%s" is read', (form, text, value) => {
  expect(readSettingText({ form }, text)).toEqual(value)
})
