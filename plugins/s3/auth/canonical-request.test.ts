import { array, assert, nat, property, string, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '#kernel/testing'
import { readHeaders } from '../wire/headers.ts'
import { percentEncode } from '../wire/percent-encoding.ts'
import { canonicalQuery, canonicalRequests } from './canonical-request.ts'

const parts = { signedHeaders: ['host'], payloadHash: 'UNSIGNED-PAYLOAD' }

function canonicalPath(rawPath: string): string[] {
  const request = { method: 'GET', rawPath, rawQuery: '', headers: readHeaders(['Host', 'h']) }
  return canonicalRequests(request, parts).map((text) => text.split('\n')[1] ?? '')
}

test('the path is re-encoded first and tried as sent second', () => {
  expect(canonicalPath('/b/a(1)+%c3%a9//../x')).toEqual(['/b/a%281%29%2B%C3%A9//../x', '/b/a(1)+%c3%a9//../x'])
  expect(canonicalPath('/b/plain-key_1.txt~')).toEqual(['/b/plain-key_1.txt~'])
})

test('the query is sorted by encoded name and value, names without value get an equals sign', () => {
  expect(canonicalQuery('b=2&a&b=1&A=x/y&e=%e9+%20')).toBe('A=x%2Fy&a=&b=1&b=2&e=%E9%20%20')
  expect(canonicalQuery('a=1&X-Amz-Signature=s&b=2', 'X-Amz-Signature')).toBe('a=1&b=2')
})

test('any query has one canonical form, for every order of its parameters', async () => {
  const unit = anyCharacter(nat)
  const pair = tuple(string({ unit, minLength: 1 }), string({ unit }))
  await assert(
    property(array(pair, { maxLength: 6 }), (pairs) => {
      const raw = pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
      const canonical = canonicalQuery(raw.join('&'))
      expect(canonicalQuery(raw.toReversed().join('&'))).toBe(canonical)
      expect(canonicalQuery(canonical)).toBe(canonical)
    }),
  )
})

test('headers are joined by a bare comma, trimmed, and keep their bytes', () => {
  const headers = readHeaders(['X-Amz-Meta-A', '  one   two ', 'x-amz-meta-a', 'Ã©', 'Host', 'h'])
  const request = { method: 'PUT', rawPath: '/', rawQuery: '', headers }
  const [text] = canonicalRequests(request, { ...parts, signedHeaders: ['host', 'x-amz-meta-a', 'x-absent'] })
  expect(text).toBe('PUT\n/\n\nhost:h\nx-amz-meta-a:one two,Ã©\nx-absent:\n\nhost;x-amz-meta-a;x-absent\nUNSIGNED-PAYLOAD')
})
