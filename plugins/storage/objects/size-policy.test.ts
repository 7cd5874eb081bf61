import { expect, test } from 'vitest'
import { widestObjectSizes } from '../contract.ts'
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

test('a refusal names the limit and the setting that widens it', () => {
  expect(sizeProblem(126, pieceSizes)?.message).toBe(
    'an object of 126 bytes is below the smallest size of 127 bytes (s3.min_object_size); s3.object_sizes = "any" allows it, which kopia, pgBackRest, s3fs and duplicity need',
  )
  expect(sizeProblem(1_065_353_217, pieceSizes)?.message).toBe(
    'an object of 1065353217 bytes is above the largest size of 1065353216 bytes (s3.max_object_size); s3.object_sizes = "any" allows 5497558138880 bytes',
  )
  expect(sizeProblem(5_497_558_138_881, widestObjectSizes)?.message).toBe(
    'an object of 5497558138881 bytes is above the largest size of 5497558138880 bytes',
  )
})
