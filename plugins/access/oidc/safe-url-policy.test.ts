import { expect, test } from 'vitest'
import { isSafeUrl, returnPath } from './safe-url-policy.ts'

test.each([
  ['https://id.example.com/realms/a', true],
  ['http://127.0.0.1:9000', true],
  ['http://localhost:9000/x', true],
  ['http://[::1]:9000', true],
  ['http://id.example.com', false],
  ['http://127.0.0.1.example.com', false],
  ['https://user:secret@id.example.com', false],
  ['ftp://id.example.com', false],
  ['id.example.com', false],
])('%s is a safe address: %s', (text, expected) => {
  expect(isSafeUrl(text)).toBe(expected)
})

test.each([
  ['/buckets/photos?prefix=a%2Fb', '/buckets/photos?prefix=a%2Fb'],
  [undefined, '/'],
  ['', '/'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/api/v1/auth/oidc/start', '/'],
  ['/a\r\nset-cookie: a=b', '/'],
  [`/${'a'.repeat(3000)}`, '/'],
])('the way back to %s is %s', (text, expected) => {
  expect(returnPath(text)).toBe(expected)
})
