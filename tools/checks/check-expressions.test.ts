import { expect, test } from 'vitest'
import { analyseExpression, findExpressions } from './check-expressions.ts'

test('literals and calls of RegExp are found, comments and strings are not', () => {
  const code = [
    '// /comment+/',
    "const text = '/string+/'",
    'const a = /a+/gi.test(text) ? 4 / 2 : 1',
    "const b = new RegExp('b+', 'u')",
    'const c = RegExp(text)',
  ].join('\n')
  expect(findExpressions(code)).toEqual([
    { source: 'a+', flags: 'gi', line: 3 },
    { source: 'b+', flags: 'u', line: 4 },
    { source: undefined, flags: '', line: 5 },
  ])
})

test.each([
  // A past bug: each `vm error=[` starts a scan to the end of the text.
  ['(?:vm error|revert reason)=\\[(.*?)\\]', 'g'],
  ['/+$', ''],
  ['^(?:a|a)*$', ''],
  ['^(?:ab)*(?:ab)*$', ''],
])('the expression /%s/%s is refused', async (source, flags) => {
  expect(await analyseExpression(source, flags)).toMatch(/^takes .* time$/)
})

test.each([
  ['^[a-z]+$', ''],
  ['\\p{Cc}+', 'gu'],
])('the expression /%s/%s is accepted', async (source, flags) => {
  expect(await analyseExpression(source, flags)).toBeUndefined()
})
