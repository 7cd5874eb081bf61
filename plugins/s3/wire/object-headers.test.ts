import { expect, test } from 'vitest'
import { readHeaders } from './headers.ts'
import { readObjectHeaders, writeObjectHeaders } from './object-headers.ts'

const read = (...rawHeaders: string[]) => readObjectHeaders(readHeaders(rawHeaders))

test('an object keeps the content headers of HTTP', () => {
  const kept = read('Content-Type', 'text/plain', 'Cache-Control', 'no-store', 'Expires', 'whenever', 'X-Other', 'x')
  expect(kept).toEqual({ contentType: 'text/plain', system: { 'cache-control': 'no-store', expires: 'whenever' }, metadata: {} })
  expect(read().contentType).toBe('binary/octet-stream')
})

test.each([
  ['aws-chunked', undefined],
  ['gzip, aws-chunked', 'gzip'],
  ['aws-chunked,gzip,br', 'gzip, br'],
  ['gzip', 'gzip'],
])('Content-Encoding %s is stored as %s', (sent, stored) => {
  expect(read('Content-Encoding', sent).system['content-encoding']).toBe(stored)
})

test('user metadata keeps its bytes, has lower-case names, and joins repeated names', () => {
  const utf8 = Buffer.from('é😀').toString('latin1')
  const kept = read('X-Amz-Meta-Name', utf8, 'x-amz-meta-list', 'a', 'X-Amz-Meta-List', 'b', 'x-amz-meta-__proto__', 'p')
  expect(Object.entries(kept.metadata)).toEqual([
    ['name', utf8],
    ['list', 'a,b'],
    ['__proto__', 'p'],
  ])
  expect(writeObjectHeaders(kept)).toMatchObject({
    'x-amz-meta-name': utf8,
    'x-amz-meta-list': 'a,b',
    'content-type': 'binary/octet-stream',
  })
})

test('2048 bytes of names and values are stored, 2049 are rejected', () => {
  expect(Object.keys(read('x-amz-meta-abcd', 'v'.repeat(2044)).metadata)).toEqual(['abcd'])
  expect(() => read('x-amz-meta-abcd', 'v'.repeat(2045))).toThrow(expect.objectContaining({ code: 'MetadataTooLarge' }))
})

test('content headers have together at most 8192 bytes', () => {
  // The names and `text/plain` have 35.
  const withValue = (length: number) => read('Content-Type', 'text/plain', 'Cache-Control', 'v'.repeat(length))
  expect(withValue(8192 - 35).system['cache-control']).toHaveLength(8192 - 35)
  expect(() => withValue(8192 - 34)).toThrow(expect.objectContaining({ code: 'RequestHeaderSectionTooLarge' }))
})
