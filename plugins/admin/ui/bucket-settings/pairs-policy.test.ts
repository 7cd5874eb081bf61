import { expect, test } from 'vitest'
import { readPairs, writePairs } from './pairs-policy.ts'

test('pairs survive as a line of text', () => {
  const pairs = [
    { key: 'a', value: 'b=c' },
    { key: 'a=b', value: 'c=d' },
    { key: 'empty', value: '' },
  ]
  expect(readPairs(writePairs(pairs))).toEqual(pairs)
  expect(readPairs(' x = 1 ,, y ')).toEqual([
    { key: 'x', value: '1' },
    { key: 'y', value: '' },
  ])
  expect(readPairs('')).toEqual([])
})
