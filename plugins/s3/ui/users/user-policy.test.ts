import { expect, test } from 'vitest'
import { placeOf, writeSnippets } from './snippet-policy.ts'
import { filterUsers, whyNotDeleted } from './user-policy.ts'

test('an owner of buckets is not deleted', () => {
  expect(whyNotDeleted({ bucket_count: 0 })).toBeUndefined()
  expect(whyNotDeleted({ bucket_count: 1 })).toContain('1 bucket.')
  expect(whyNotDeleted({ bucket_count: 2 })).toContain('2 buckets.')
})

test('users are found by access key, name and role', () => {
  const users = [
    { access_key: 'AbC', name: 'Backup of films', role: 'admin' },
    { access_key: 'xyz', name: null, role: 'user' },
  ] as const
  expect(filterUsers(users, ' abc ').map(({ access_key }) => access_key)).toEqual(['AbC'])
  expect(filterUsers(users, 'FILMS').map(({ access_key }) => access_key)).toEqual(['AbC'])
  expect(filterUsers(users, 'user').map(({ access_key }) => access_key)).toEqual(['xyz'])
})

test.each([
  [':8080', false, 'http://gateway.example:8080'],
  ['0.0.0.0:8080', false, 'http://gateway.example:8080'],
  ['[::]:8443', true, 'https://gateway.example:8443'],
  ['127.0.0.1:9000', false, 'http://127.0.0.1:9000'],
  ['[::1]:9000', false, 'http://[::1]:9000'],
])('clients find the listener %s', (port, tls, endpoint) => {
  expect(placeOf({ listens_on: port, tls, region: 'eu' }, 'gateway.example')).toEqual({ endpoint, region: 'eu' })
})

test('every client gets both keys, the address and, where it takes one, the region', () => {
  const snippets = writeSnippets({ access_key: 'AK', secret_key: 'SK' }, { endpoint: 'http://h:1', region: 'eu' })
  for (const { text } of snippets) expect(text).toMatch(/AK[\s\S]*SK|SK[\s\S]*AK/)
  for (const { text } of snippets) expect(text).toContain('http://h:1')
  expect(snippets.filter(({ id }) => id !== 'mc').every(({ text }) => text.includes('eu'))).toBe(true)
})
