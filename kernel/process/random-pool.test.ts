import { expect, test } from 'vitest'
import { takeRandom } from './random-pool.ts'

test('no bytes are returned twice, also beyond the end of the pool', () => {
  const taken = Array.from({ length: 1000 }, (_, n) => takeRandom(16 + (n % 3)).toString('hex'))
  expect(taken.map((hex) => hex.length / 2)).toEqual(taken.map((_, n) => 16 + (n % 3)))
  expect(new Set(taken.map((hex) => hex.slice(0, 32))).size).toBe(1000)
})

test('more bytes than the pool has are rejected', () => {
  expect(takeRandom(4096)).toHaveLength(4096)
  expect(() => takeRandom(4097)).toThrow(RangeError)
})
