import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createOriginResolver } from '../trusted-proxy.ts'
import { isPrivateConnection } from './private-connection.ts'

const resolve = createOriginResolver(['10.0.0.9'])
const isPrivate = (remoteAddress: string, headers: Record<string, string>) =>
  isPrivateConnection({ headers, socket: { remoteAddress } as Socket }, resolve)

test.each<[string, string, Record<string, string>]>([
  ['a program on this machine', '127.0.0.1', { host: '127.0.0.1:9090' }],
  ['a page on this machine', '::1', { host: 'localhost:9090', origin: 'http://localhost:9090' }],
  ['an IPv4 client of an IPv6 socket', '::ffff:127.0.0.1', { host: '[::1]:9090' }],
  ['HTTPS to a trusted proxy', '10.0.0.9', { host: 'svc.example', 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }],
])('%s is private', (_what, address, headers) => {
  expect(isPrivate(address, headers)).toBe(true)
})

test.each<[string, string, Record<string, string>]>([
  ['a client of the network', '192.0.2.1', { host: '127.0.0.1:9090' }],
  ['HTTPS that an untrusted client only claims', '192.0.2.1', { host: 'svc.example', 'x-forwarded-proto': 'https' }],
  ['HTTP to a trusted proxy', '10.0.0.9', { host: 'svc.example', 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'http' }],
  ['a client that says it is this machine, through a trusted proxy', '10.0.0.9', { host: 'localhost', 'x-forwarded-for': '127.0.0.1' }],
  ['an untrusted proxy on this machine', '127.0.0.1', { host: '127.0.0.1:9090', 'x-forwarded-for': '198.51.100.7' }],
  [
    'an untrusted proxy on this machine that hides itself, used by a page',
    '127.0.0.1',
    { host: 'localhost', origin: 'http://svc.example' },
  ],
  ['a name that points to this machine', '127.0.0.1', { host: 'rebound.example:9090' }],
  ['a page without an origin', '127.0.0.1', { host: 'localhost', origin: 'null' }],
  ['a request without a Host', '127.0.0.1', {}],
])('%s is not', (_what, address, headers) => {
  expect(isPrivate(address, headers)).toBe(false)
})
