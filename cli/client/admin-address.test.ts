import { expect, test } from 'vitest'
import { isUnencryptedRemote, readAdminUrl } from './admin-address.ts'

test.each([
  ['127.0.0.1:9090', 'http://127.0.0.1:9090'],
  [':9090', 'http://127.0.0.1:9090'],
  ['0.0.0.0:9090', 'http://127.0.0.1:9090'],
  ['[::]:9090', 'http://127.0.0.1:9090'],
  ['[::1]:9090', 'http://[::1]:9090'],
  ['localhost:9090', 'http://localhost:9090'],
  ['https://svc.example.org', 'https://svc.example.org'],
  ['https://svc.example.org/admin/?x=1#y', 'https://svc.example.org/admin'],
  ['http://:9090', 'http://127.0.0.1:9090'],
])('%s is reached at %s', (text, url) => {
  expect(readAdminUrl(text)).toBe(url)
})

test.each(['ftp://svc.example.org', 'file:///etc/passwd', 'http://a b'])('"%s" is refused', (text) => {
  expect(() => readAdminUrl(text)).toThrow(expect.objectContaining({ exitCode: 2 }))
})

test.each([
  ['http://127.0.0.1:9090', false],
  ['http://127.8.0.1:9090', false],
  ['http://localhost:9090', false],
  ['http://[::1]:9090', false],
  ['https://svc.example.org', false],
  ['http://svc.example.org', true],
  ['http://10.0.0.7:9090', true],
  ['http://127.0.0.1.example.org', true],
  ['http://localhost.example.org', true],
  ['http://[fe80::1]:9090', true],
])('a connection to %s leaves the machine unencrypted: %s', (url, isReadable) => {
  expect(isUnencryptedRemote(url)).toBe(isReadable)
})
