import { expect, test } from 'vitest'
import { HotBytes } from './hot-bytes.ts'

test('the least recently used blobs are dropped first, and the limit counts bytes', () => {
  const hot = new HotBytes(30)
  for (const id of ['a', 'b', 'c']) hot.keep(id, new Uint8Array(10))
  expect(hot.get('a')).toHaveLength(10)
  hot.keep('d', new Uint8Array(15))
  expect(['a', 'b', 'c', 'd'].filter((id) => hot.get(id) !== undefined)).toEqual(['a', 'd'])
})

test('keeping or dropping a blob twice counts its bytes once', () => {
  const hot = new HotBytes(20)
  hot.keep('a', new Uint8Array(10))
  hot.keep('a', new Uint8Array(10))
  hot.keep('b', new Uint8Array(10))
  expect(hot.get('a')).toHaveLength(10)
  hot.drop('a')
  hot.drop('a')
  hot.keep('c', new Uint8Array(10))
  expect(hot.get('b')).toHaveLength(10)
})
