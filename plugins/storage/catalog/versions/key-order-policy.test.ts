import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '#kernel/testing'
import { compareKeys, groupOf, successorOf } from './key-order-policy.ts'

const text = fc.string({ unit: anyCharacter(fc.nat), maxLength: 6 })
const bytes = (value: string): Buffer => Buffer.from(value)

test('keys are ordered by their UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(bytes(a), bytes(b)))
    }),
  )
  expect(compareKeys('\uffff', '\u{10000}')).toBeLessThan(0)
  expect('\uffff' < '\u{10000}').toBe(false)
})

test.each([
  ['a', 'b'],
  ['a/', 'a0'],
  ['', undefined],
  ['\ud7ff', '\ue000'],
  ['\uffff', '\u{10000}'],
  ['a\u{10ffff}', 'b'],
  ['a\u{10ffff}\u{10ffff}', 'b'],
  ['\u{10ffff}', undefined],
])('the successor of %j is %j', (prefix, successor) => {
  expect(successorOf(prefix)).toBe(successor)
})

test('a string is between a prefix and its successor exactly when it starts with the prefix', () => {
  fc.assert(
    fc.property(text, text, (prefix, candidate) => {
      const successor = successorOf(prefix)
      const isWithin = compareKeys(candidate, prefix) >= 0 && (successor === undefined || compareKeys(candidate, successor) < 0)
      expect(isWithin).toBe(candidate.startsWith(prefix))
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['a/b/c', '', '/', 'a/'],
  ['a/b/c', 'a/', '/', 'a/b/'],
  ['a/b/c', 'a/b/', '/', undefined],
  ['a--b--c', 'a-', '--', 'a--b--'],
  ['a/', '', '/', 'a/'],
])('the common prefix of %j for prefix %j and delimiter %j is %j', (key, prefix, delimiter, group) => {
  expect(groupOf(key, prefix, delimiter)).toBe(group)
})
