import { expect, test } from 'vitest'
import { normalizeIp } from './normalize-ip.ts'

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['2001:DB8:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['0:0:0:0:0:FFFF:7f00:1', '127.0.0.1'],
  ['::10.0.0.1', '::a00:1'],
  ['010.0.0.1', undefined],
  ['localhost', undefined],
])('%s is the address %s', (text, address) => {
  expect(normalizeIp(text)).toBe(address)
})
