import { expect, test } from 'vitest'
import { isLoopbackHostHeader } from './loopback.ts'

test.each([
  ['localhost', true],
  ['LOCALHOST:9090', true],
  ['127.0.0.1', true],
  ['127.8.9.10:9090', true],
  ['[::1]:9090', true],
  ['0x7f.1:80', true],
  [undefined, false],
  ['', false],
  ['svc.example', false],
  ['svc.example:9090', false],
  ['localhost.attacker.example', false],
  ['attacker.example#localhost', false],
  ['localhost@attacker.example', false],
  ['attacker.example@localhost', false],
  ['localhost/x', false],
  ['192.168.0.5', false],
  ['0.0.0.0:9090', false],
  ['[::]:9090', false],
  ['[::ffff:192.0.2.1]', false],
  ['two words', false],
])('the Host %j names this machine: %s', (header, isLocal) => {
  expect(isLoopbackHostHeader(header)).toBe(isLocal)
})
