import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from './any-character.ts'

const character = anyCharacter(fc.nat)

test('every generated text is one character, and long and short ones occur', () => {
  const texts = fc.sample(character, { numRuns: 2000, seed: 1 })
  for (const text of texts) expect(text).toMatch(/^\P{Cs}$/su)
  expect(new Set(texts.map((text) => Buffer.byteLength(text)))).toEqual(new Set([1, 2, 3, 4]))
})

test.each(['\0', 'a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'])('%j can be generated', (text) => {
  expect(character.canShrinkWithoutContext(text)).toBe(true)
})

test.each(['\ud800', '\udfff', '', 'ab', '\u{10000}a', 7])('%j cannot be generated', (value) => {
  expect(character.canShrinkWithoutContext(value)).toBe(false)
})

test('texts of any character contain names of object members, as those of the unit binary do', () => {
  const texts = fc.sample(fc.string({ unit: character }), { numRuns: 5000, seed: 1 })
  expect(texts.some((text) => text.includes('__proto__'))).toBe(true)
})
