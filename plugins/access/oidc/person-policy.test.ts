import { expect, test } from 'vitest'
import { roleOf, usernameOf } from './person-policy.ts'

const settings = {
  username_claim: 'preferred_username',
  role_claim: 'groups',
  admins: ['ops'],
  operators: ['dev', 'sre'],
  readers: ['all'],
}

test.each([
  ['the highest role counts', { groups: ['all', 'ops', 'dev'] }, 'admin'],
  ['a text', { groups: 'sre' }, 'operator'],
  ['a list', { groups: ['other', 'all'] }, 'read-only'],
  ['no known value', { groups: ['Ops', 'opss', ' ops'] }, undefined],
  ['no claim', {}, undefined],
  ['strange values', { groups: { ops: true } }, undefined],
  ['strange entries', { groups: [['ops'], null, 7] }, undefined],
])('a role is chosen by exact values of the claim: %s', (_what, claims, role) => {
  expect(roleOf(claims, settings)).toBe(role)
})

test('dots reach into objects, and a claim with this very name comes first', () => {
  const nested = { ...settings, role_claim: 'realm_access.roles' }
  expect(roleOf({ realm_access: { roles: ['ops'] } }, nested)).toBe('admin')
  expect(roleOf({ 'realm_access.roles': ['all'], realm_access: { roles: ['ops'] } }, nested)).toBe('read-only')
  expect(roleOf({ realm_access: null }, nested)).toBeUndefined()
  expect(roleOf({}, { ...settings, role_claim: 'constructor.name', admins: ['Object'] })).toBeUndefined()
})

test('a name is bounded, marked, and falls back to the subject', () => {
  expect(usernameOf({ sub: '7', preferred_username: 'admin' }, settings)).toBe('oidc:admin')
  expect(usernameOf({ sub: '7', preferred_username: '  ' }, settings)).toBe('oidc:7')
  expect(usernameOf({ sub: 'x'.repeat(500) }, settings)).toHaveLength('oidc:'.length + 128)
})
