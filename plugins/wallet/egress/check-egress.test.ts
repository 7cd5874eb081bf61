import { expect, test } from 'vitest'
import { checkEgress, isPublicAddress } from './check-egress.ts'

test.each([
  ['93.184.216.34', true],
  ['8.8.8.8', true],
  ['172.32.0.1', true],
  ['100.128.0.1', true],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['172.16.5.4', false],
  ['172.31.255.255', false],
  ['192.0.2.7', false],
  ['192.168.1.1', false],
  ['198.19.0.1', false],
  ['198.51.100.1', false],
  ['203.0.113.9', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['2606:4700:4700::1111', true],
  ['::', false],
  ['::1', false],
  ['::ffff:8.8.8.8', true],
  ['::ffff:127.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['0:0:0:0:0:FFFF:10.0.0.1', false],
  ['::10.0.0.1', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['2001:0:4136:e378::1', false],
  ['2001:db8::1', false],
  ['3fff::1', false],
  ['fc00::1', false],
  ['fd12:3456::1', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['ff02::1', false],
  ['not an address', false],
])('I-13: %s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})

const resolveTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }))

test.each([
  ['ftp://example.com/', 'scheme_not_http'],
  ['file:///etc/passwd', 'scheme_not_http'],
  ['nonsense', 'invalid_url'],
  ['https://user:secret@example.com/', 'credentials_in_url'],
  ['http://127.0.0.1:80/', 'private_address'],
  ['http://0x7f.1/', 'private_address'],
  ['http://2130706433/', 'private_address'],
  ['http://[::1]:8080/', 'private_address'],
  ['http://[::ffff:10.0.0.1]/', 'private_address'],
])('I-13: %s is refused as %s', async (url, reason) => {
  const check = await checkEgress(url, { allowPrivateNetworks: false, resolve: resolveTo('93.184.216.34') })
  expect(check).toMatchObject({ kind: 'refused', reason })
})

test('I-13: a name with one private address among public ones is refused', async () => {
  const check = await checkEgress('https://sp.example.com/', {
    allowPrivateNetworks: false,
    resolve: resolveTo('93.184.216.34', '10.0.0.5'),
  })
  expect(check).toMatchObject({ kind: 'refused', reason: 'private_address', detail: 'sp.example.com is 10.0.0.5' })
})

test('I-13: the connection uses the checked address even when the name resolves elsewhere later', async () => {
  const answers = [resolveTo('93.184.216.34'), resolveTo('127.0.0.1')]
  const check = await checkEgress('https://sp.example.com/pdp/', {
    allowPrivateNetworks: false,
    resolve: async () => await (answers.shift() ?? resolveTo())(),
  })
  if (check.kind !== 'allowed') throw new Error(check.kind)
  const used = await new Promise((resolve) => check.lookup('sp.example.com', {}, (_error, address) => resolve(address)))
  const all = await new Promise((resolve) => check.lookup('sp.example.com', { all: true }, (_error, addresses) => resolve(addresses)))
  expect(used).toBe('93.184.216.34')
  expect(all).toEqual([{ address: '93.184.216.34', family: 4 }])
})

test('a private address is allowed when the operator allows private networks', async () => {
  expect(await checkEgress('http://127.0.0.1:5000/base/', { allowPrivateNetworks: true })).toMatchObject({ kind: 'allowed' })
})

test('an unresolvable name and a refused one are different errors', async () => {
  const check = await checkEgress('https://sp.example.com/', {
    allowPrivateNetworks: false,
    resolve: async () => {
      throw new Error('ENOTFOUND')
    },
  })
  expect(check).toMatchObject({ kind: 'unresolved' })
  expect(await checkEgress('https://sp.example.com/', { allowPrivateNetworks: false, resolve: resolveTo() })).toMatchObject({
    kind: 'unresolved',
  })
})
