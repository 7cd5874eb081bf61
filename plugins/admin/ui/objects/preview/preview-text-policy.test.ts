import { expect, test } from 'vitest'
import { prettyText } from './preview-text-policy.ts'

test.each([
  ['{"a":1,"b":[true]}', '{\n  "a": 1,\n  "b": [\n    true\n  ]\n}'],
  ['plain {text}', 'plain {text}'],
  ['{"a":', '{"a":'],
  ['{"n":12345678901234567890}', '{"n":12345678901234567890}'],
  ['{"a":1,"a":2}', '{"a":1,"a":2}'],
  ['', ''],
])('%s is shown as %j', (text, shown) => {
  expect(prettyText(text)).toBe(shown)
})
