import { expect, test } from 'vitest'
import { readLinedJson } from './lined-json-policy.ts'

const read = (text: string) =>
  readLinedJson(text, (line, problem) => {
    throw new Error(`${line}: ${problem}`)
  })

test.each([
  '{}',
  '[]',
  ' {"a": [1, -2.5e3, true, false, null, {"b": {}}], "c": "\\u00e9\\n\\"\\\\", "": []}\r\n',
  '{"__proto__": {"x": 1}}',
  '"text"',
  '0',
])('%s has the value that JSON.parse reads', (text) => {
  expect(read(text).value).toEqual(JSON.parse(text))
  expect(Object.keys(Object(read(text).value))).toEqual(Object.keys(Object(JSON.parse(text))))
})

test('members and items have the line of their value; what is absent has that of what it would be in', () => {
  const { lineOf } = read('{\n  "rules": [\n    { "id": "a" },\n    {\n      "id":\n        "b"\n    }\n  ]\n}')
  expect(lineOf([])).toBe(1)
  expect(lineOf(['rules', '0', 'id'])).toBe(3)
  expect(lineOf(['rules', '1'])).toBe(4)
  expect(lineOf(['rules', '1', 'id'])).toBe(6)
  expect(lineOf(['rules', '1', 'enabled', 'x'])).toBe(4)
})

test.each([
  ['', '1: the JSON needs a value, not the end of the text'],
  ['{\n  "rules": [\n    {"enabled": true,}\n  ]\n}', '3: rules.0 needs a name in double quotes, not "}"'],
  ['{\n  "rules": [\n    {"enabled": true\n     "prefix": "a"}\n  ]\n}', '4: rules.0 needs a comma or }, not "\\""'],
  ['{"rules": [{"expire_days": 030}]}', '1: rules.0 needs a comma or }, not "3"'],
  ['{"rules": [{"enabled": True}]}', '1: rules.0.enabled needs a value, not "T"'],
  ["{'rules': []}", '1: the JSON needs a name in double quotes, not "\'"'],
  ['{"rules"\n []}', '2: rules needs a colon after its name, not "["'],
  ['{"rules": [\n1,\n2', '3: rules needs a comma or ], not the end of the text'],
  ['{"a": "b\n"}', '1: a has a text without closing quotes'],
  ['{"a": "b', '1: a has a text without closing quotes'],
  ['{"a": "b\\', '1: a has a text without closing quotes'],
  ['{"a": "\\x"}', '1: a has a text with an invalid escape or a control character'],
  ['{"a": "\t"}', '1: a has a text with an invalid escape or a control character'],
  ['{"a": 1,\n"a": 2}', '2: a is given twice'],
  ['{}\n\n{}', '3: the JSON ends before "{"'],
  ['[😀]', '1: 0 needs a value, not "😀"'],
  ['[[[[[[[[[[', '1: 0.0.0.0.0.0.0.0.0 is nested deeper than 8 levels'],
])('%j is refused with its line and member', (text, message) => {
  expect(() => read(text)).toThrow(new Error(message))
})

test('the depth is bounded', () => {
  expect(() => read('['.repeat(1_000_000))).toThrow('is nested deeper than 8 levels')
})
