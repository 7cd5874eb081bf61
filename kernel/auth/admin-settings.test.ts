import { expect, test } from 'vitest'
import { checkSetting } from '../config/load.ts'
import { adminAuthSection, adminSection } from './admin-settings.ts'

const { addr, trusted_proxies } = adminSection.keys
const problemOf = (value: unknown) => checkSetting('admin.addr', addr, value)?.message

test.each(['127.0.0.1:9090', '[::1]:0', ':65535', 'localhost:1'])('%s is a listen address', (value) => {
  expect(problemOf(value)).toBeUndefined()
})

test.each(['127.0.0.1', '127.0.0.1:', '127.0.0.1:x', '::1:9090', 'a b:1', '127.0.0.1:123456'])('%j is not a listen address', (value) => {
  expect(problemOf(value)).toMatch(/^must be host:port, such as 127\.0\.0\.1:9090/)
})

test('a port above the last one is refused by the configuration, not by the start', () => {
  expect(problemOf('127.0.0.1:65536')).toContain('with a port of at most 65535')
})

test.each(['10.0.0.1', '10.0.0.0/8', ' ::1 ', 'fd00::/8', '::ffff:10.0.0.0/104'])('%j may be a trusted proxy', (entry) => {
  expect(checkSetting('admin.trusted_proxies', trusted_proxies, [entry])).toBeUndefined()
})

test.each(['proxy.example', '*', '10.0.0.0/33', '10.0.0.1-10.0.0.9', '10.0.0', '', '::/129', '10.0.0.0/8/8'])(
  '%j may not be a trusted proxy',
  (entry) => {
    expect(checkSetting('admin.trusted_proxies', trusted_proxies, ['10.0.0.1', entry])).toMatchObject({
      message: expect.stringContaining('must be an IP address or a CIDR such as 10.0.0.0/8'),
      blocks: 'start',
    })
  },
)

test.each([
  ['a'.repeat(31), true, ['session_secret']],
  ['a'.repeat(32), true, []],
  // Bytes count, not characters.
  ['é'.repeat(16), true, []],
  ['short', false, []],
])('the session secret %j with authentication=%s has the problems %j', (session_secret, enabled, keys) => {
  const values = { enabled, username: 'admin', password_hash: 'x', session_secret, session_ttl: 1 }
  const problems = adminAuthSection.check(values as never)
  expect(problems.map(({ key }) => key)).toEqual(keys)
  for (const { message } of problems)
    expect(message).toBe(
      'must have at least 32 bytes; put 32 random bytes there, or run `svc admin-auth reset-password`, which also makes a new password',
    )
})
