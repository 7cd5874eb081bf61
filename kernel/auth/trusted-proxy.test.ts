import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createOriginResolver } from './trusted-proxy.ts'

const from = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers: { host: 'svc.local:9090', ...headers } }) as unknown as IncomingMessage

const forwarded = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'svc.example',
}

test('without trusted proxies forwarded headers are ignored', () => {
  const resolve = createOriginResolver([])
  expect(resolve(from('10.0.0.1', forwarded))).toEqual({ clientIp: '10.0.0.1', scheme: 'http', host: 'svc.local:9090' })
})

test.each([
  ['an address', ['10.0.0.1'], '10.0.0.1', true],
  ['another address', ['10.0.0.1'], '10.0.0.2', false],
  ['a network', ['10.0.0.0/8'], '10.9.8.7', true],
  ['an address outside the network', ['10.0.0.0/8'], '11.0.0.1', false],
  ['an IPv4 peer as a dual-stack socket names it', ['10.0.0.0/8'], '::ffff:10.1.2.3', true],
  ['an IPv4-mapped entry', ['::ffff:10.0.0.0/104'], '10.1.2.3', true],
  ['an IPv6 address in another spelling', ['2001:DB8:0::1'], '2001:db8::1', true],
  ['an IPv6 network', ['2001:db8::/32'], '2001:db8:1::5', true],
  ['an IPv6 address outside the network', ['2001:db8::/32'], '2001:db9::1', false],
  ['a link-local peer with its zone', ['fe80::/10'], 'fe80::1%eth0', true],
] as const)('%s', (...[, trusted, peer, isTrusted]) => {
  const { clientIp, scheme, host } = createOriginResolver(trusted)(from(peer, forwarded))
  expect({ scheme, host }).toEqual(isTrusted ? { scheme: 'https', host: 'svc.example' } : { scheme: 'http', host: 'svc.local:9090' })
  expect(clientIp === '203.0.113.7').toBe(isTrusted)
})

test.each([
  ['the rightmost that is not a proxy', { 'x-forwarded-for': '1.1.1.1, 2.2.2.2, 10.0.0.9' }, '2.2.2.2'],
  ['entries with ports', { 'x-forwarded-for': '1.1.1.1, 2.2.2.2:4711' }, '2.2.2.2'],
  ['IPv6 with a port', { 'x-forwarded-for': '[2001:db8::7]:443' }, '2001:db8::7'],
  ['IPv6 without a port', { 'x-forwarded-for': '2001:db8::7' }, '2001:db8::7'],
  ['past what is no address', { 'x-forwarded-for': '1.1.1.1, unknown, , _hidden' }, '1.1.1.1'],
  ['X-Real-IP when nothing else is left', { 'x-forwarded-for': '10.0.0.3', 'x-real-ip': '3.3.3.3' }, '3.3.3.3'],
  ['the peer when there is nothing', {}, '10.0.0.1'],
  ['the peer when X-Real-IP is no address', { 'x-real-ip': 'localhost' }, '10.0.0.1'],
  ['an IPv4-mapped client as IPv4', { 'x-forwarded-for': '::ffff:4.4.4.4' }, '4.4.4.4'],
] as const)('the client is %s', (...[, headers, clientIp]) => {
  expect(createOriginResolver(['10.0.0.0/8'])(from('10.0.0.1', headers)).clientIp).toBe(clientIp)
})

test.each([
  [{ 'x-forwarded-proto': 'http, https' }, 'https'],
  [{ 'x-forwarded-proto': 'HTTPS, ' }, 'https'],
  [{ 'x-forwarded-proto': 'https, gopher' }, 'http'],
  [{}, 'http'],
] as const)('the scheme of %j is %s', (headers, scheme) => {
  expect(createOriginResolver(['10.0.0.1'])(from('10.0.0.1', headers)).scheme).toBe(scheme)
})

test.each([
  ['the forwarded host', { 'x-forwarded-host': ' evil.example, , svc.example:8443 ' }, { host: 'svc.example:8443' }],
  ['the forwarded scheme', { 'x-forwarded-proto': 'https, http' }, { scheme: 'http' }],
  ['the real IP', { 'x-real-ip': '6.6.6.6, 3.3.3.3' }, { clientIp: '3.3.3.3' }],
  ['the client', { 'x-forwarded-for': '6.6.6.6, 3.3.3.3' }, { clientIp: '3.3.3.3' }],
] as const)('%s is the last element, written by the trusted proxy, not one sent by its client', (...[, headers, expected]) => {
  expect(createOriginResolver(['10.0.0.1'])(from('10.0.0.1', headers))).toMatchObject(expected)
})

test.each(['proxy.local', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/8/8', '::/129', ''])('the entry %j is refused and named', (entry) => {
  expect(() => createOriginResolver([entry])).toThrow(`admin.trusted_proxies contains '${entry}'`)
})
