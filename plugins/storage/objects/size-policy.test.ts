import { expect, test } from 'vitest'
import { largeProblem, pieceSizes, sizeProblem } from './size-policy.ts'

test.each([
  [0, 'entity_too_small'],
  [126, 'entity_too_small'],
  [127, undefined],
  [1_065_353_216, undefined],
  [1_065_353_217, 'entity_too_large'],
])('an object of %i bytes: %s', (bytes, code) => {
  expect(sizeProblem(bytes, pieceSizes)?.code).toBe(code)
})

test('an unfinished body can be too large but not too small', () => {
  expect(largeProblem(0, pieceSizes)).toBeUndefined()
  expect(largeProblem(1_065_353_216, pieceSizes)).toBeUndefined()
  expect(largeProblem(1_065_353_217, pieceSizes)?.code).toBe('entity_too_large')
})
