import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '#kernel/testing'
import { contentDisposition, downloadHeaders } from './download-headers-policy.ts'

test.each([
  ['a.png', 'attachment; filename="a.png"'],
  ['2026/photos/a b.png', 'attachment; filename="a b.png"'],
  ['folder/', 'attachment; filename="download"'],
  ['Zoë.png', 'attachment; filename="Zo_.png"; filename*=UTF-8\'\'Zo%C3%AB.png'],
  ['a"b\\c.txt', 'attachment; filename="a_b_c.txt"; filename*=UTF-8\'\'a%22b%5Cc.txt'],
  ["it's (1)*.txt", 'attachment; filename="it\'s (1)*.txt"'],
  ["ü's (1)*.txt", "attachment; filename=\"_'s (1)*.txt\"; filename*=UTF-8''%C3%BC%27s%20%281%29%2A.txt"],
  ['a\r\nSet-Cookie: x=1', 'attachment; filename="a__Set-Cookie: x=1"; filename*=UTF-8\'\'a%0D%0ASet-Cookie%3A%20x%3D1'],
])('the key %j is saved as %s', (key, header) => {
  expect(contentDisposition(key)).toBe(header)
})

test('no key can add anything to the header', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter(fc.nat) }), (key) => {
      expect(contentDisposition(key)).toMatch(/^attachment; filename="[^"\\\r\n]+"(; filename\*=UTF-8''[A-Za-z0-9!~._%-]+)?$/)
    }),
  )
})

test.each([
  ['image/png', 'image/png'],
  ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ['', 'application/octet-stream'],
  ['a\r\nSet-Cookie: x=1', 'application/octet-stream'],
  ['a\u0000b', 'application/octet-stream'],
  ['\u20ac', 'application/octet-stream'],
])('the content type %j is sent as %s', (stored, sent) => {
  const headers = downloadHeaders({ key: 'a', contentType: stored, size: 3, etag: 'ab' })
  expect(headers).toMatchObject({ 'content-type': sent, 'content-length': '3', etag: '"ab"' })
  expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'")
})
