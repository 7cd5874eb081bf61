import { expect, test } from 'vitest'
import { fileNameOf } from './file-name-policy.ts'

test.each([
  ['sea.jpg', 'sea.jpg'],
  ['2026/07/sea.jpg', 'sea.jpg'],
  ['ünïcödé 😀', 'ünïcödé 😀'],
  ['../../etc/passwd', 'passwd'],
  ['folder/', undefined],
  ['a/..', undefined],
  ['.', undefined],
  ['-', undefined],
  ['a/line\nbreak', undefined],
  ['a/back\\slash', undefined],
])('the key %j is saved as %j', (key, name) => {
  expect(fileNameOf(key)).toBe(name)
})
