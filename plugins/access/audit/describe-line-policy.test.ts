import { expect, test } from 'vitest'
import { describeLine } from './describe-line-policy.ts'

const change = { by: 'admin', how: 'session', client: '192.0.2.1', method: 'PUT', route: '/api/v1/settings', subject: { names: 'a b' } }

test.each([
  ['a change', 'change', { ...change, status: 200 }, ['change', 'done', 200]],
  ['a refused change', 'change', { ...change, status: 409 }, ['change', 'refused', 409]],
  ['a failed change', 'change', { ...change, status: 500 }, ['change', 'failed', 500]],
  ['a change whose client left', 'change', { ...change, status: undefined }, ['change', 'cut', null]],
  ['a sign-in', 'sign-in', { outcome: 'accepted', how: 'form', by: 'admin', client: '::1' }, ['sign_in', 'done', null]],
  ['a wrong password', 'sign-in', { outcome: 'refused', how: 'form', client: '::1' }, ['sign_in', 'refused', null]],
  ['a blocked attempt', 'sign-in', { outcome: 'blocked', how: 'basic', client: '::1' }, ['sign_in', 'blocked', null]],
  ['a block', 'client blocked', { client: '::1', failures: 5, seconds: 60 }, ['block', 'blocked', null]],
  ['a refusal for safety', 'request refused', { ...change, code: 'csrf_required' }, ['refusal', 'refused', null]],
] as const)('%s has its outcome', (_what, what, fields, expected) => {
  const line = describeLine({ what, fields })
  expect([line.what, line.outcome, line.status]).toEqual(expected)
})

test('an unknown name is null, and the ids of the request are JSON', () => {
  expect(describeLine({ what: 'change', fields: { ...change, by: undefined, status: 200 } })).toMatchObject({
    who: null,
    method: 'PUT',
    route: '/api/v1/settings',
    subject: '{"names":"a b"}',
  })
  expect(describeLine({ what: 'client blocked', fields: { client: '::1', failures: 5, seconds: 60 } }).subject).toBe(
    '{"failures":5,"seconds":60}',
  )
})

test('a subject is bounded and stays JSON', () => {
  const subject = { long: 'x'.repeat(5000), key: 'photos/1.jpg' }
  expect(JSON.parse(describeLine({ what: 'change', fields: { ...change, subject, status: 200 } }).subject)).toEqual({ key: 'photos/1.jpg' })
})
