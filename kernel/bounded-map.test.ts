import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

test('a further entry replaces the oldest, and a new value of a known key replaces none', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  expect([map.get('a'), map.get('b'), map.size]).toEqual([3, 2, 2])
  map.set('c', 4)
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([undefined, 2, 4, 2])
  map.clear()
  expect([map.get('b'), map.size]).toEqual([undefined, 0])
})
