import { expect, test } from 'vitest'
import { endpointOf, objectUrlOf, s3UriOf, signersOf } from './share-policy.ts'

test.each([
  [{ listens_on: ':8080', tls: false, region: 'r' }, 'http://gateway:8080'],
  [{ listens_on: '0.0.0.0:443', tls: true, region: 'r' }, 'https://gateway:443'],
  [{ listens_on: '10.0.0.1:8080', tls: false, region: 'r' }, 'http://10.0.0.1:8080'],
])('a listener %j is reached at %s', (address, endpoint) => {
  expect(endpointOf(address, 'gateway')).toBe(endpoint)
})

test('the owner of the bucket is the first signer, then the admins; nobody else', () => {
  const users = [
    { access_key: 'a', role: 'admin' },
    { access_key: 'o', role: 'user' },
    { access_key: 'x', role: 'userplus' },
  ] as const
  expect(signersOf(users, 'o').map(({ access_key }) => access_key)).toEqual(['o', 'a'])
  expect(signersOf(users, null).map(({ access_key }) => access_key)).toEqual(['a'])
})

test('addresses of an object keep its slashes and escape the rest', () => {
  expect(s3UriOf('b', 'a/b c')).toBe('s3://b/a/b c')
  expect(objectUrlOf('http://h:1/', 'b', 'a/b c?d#e')).toBe('http://h:1/b/a/b%20c%3Fd%23e')
})
