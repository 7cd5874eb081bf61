import { expect, test } from 'vitest'
import { parsePostPolicy, requireAllowedForm, requireAllowedSize } from './form-conditions.ts'

const now = Date.UTC(2026, 0, 1)
const expiration = '2026-01-01T00:10:00.000Z'
const encode = (document: unknown) => Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)).toString('base64')
const policyOf = (...conditions: unknown[]) => parsePostPolicy(encode({ expiration, conditions }))

const nested = '['.repeat(20_000) + ']'.repeat(20_000)

test.each([
  ['no JSON', '{', 'Invalid JSON'],
  ['a list', [], 'must be an object'],
  ['null', null, 'must be an object'],
  ['no expiration', { conditions: [] }, 'missing expiration'],
  ['an expiration in another case', { Expiration: expiration, conditions: [] }, "Unexpected: 'Expiration'"],
  ['a date that is not ISO', { expiration: 'Thu, 01 Jan 2026 00:00:00 GMT', conditions: [] }, 'Invalid'],
  ['a month 13', { expiration: '2026-13-01T00:00:00Z', conditions: [] }, 'Invalid'],
  ['a number as expiration', { expiration: 1, conditions: [] }, 'Invalid'],
  ['no conditions', { expiration }, 'missing conditions'],
  ['conditions that are no list', { expiration, conditions: {} }, 'must be a list'],
  ['an empty condition', { expiration, conditions: [{}] }, 'one property'],
  ['two properties in a condition', { expiration, conditions: [{ key: 'a', acl: 'b' }] }, 'one property'],
  ['a number as value', { expiration, conditions: [{ key: 1 }] }, 'must be a text'],
  ['a text as condition', { expiration, conditions: ['key'] }, 'one property'],
  ['an unknown operator', { expiration, conditions: [['ends-with', '$key', 'a']] }, 'operator'],
  ['a field without $', { expiration, conditions: [['eq', 'key', 'a']] }, 'leading $'],
  ['four members', { expiration, conditions: [['eq', '$key', 'a', 'b']] }, 'two values'],
  ['a negative size', { expiration, conditions: [['content-length-range', -1, 10]] }, 'sizes'],
  ['no largest size', { expiration, conditions: [['content-length-range', 1]] }, 'two values'],
  ['a list in a condition', { expiration, conditions: [['eq', '$key', ['a']]] }, 'only texts and numbers'],
  ['deep lists as a condition', `{"expiration":"${expiration}","conditions":[${nested}]}`, 'only texts and numbers'],
  ['deep lists as a value', `{"expiration":"${expiration}","conditions":[{"key":${nested}}]}`, 'only texts and numbers'],
  ['deep lists as expiration', `{"expiration":${nested},"conditions":[]}`, 'must be a text'],
  ['1001 conditions', { expiration, conditions: Array.from({ length: 1001 }, () => ({ key: 'a' })) }, 'at most 1000'],
])('a policy with %s is not valid', (_name, document, message) => {
  expect(() => parsePostPolicy(encode(document))).toThrow(
    expect.objectContaining({ code: 'InvalidPolicyDocument', message: expect.stringContaining(message) }),
  )
})

const form = (fields: Readonly<Record<string, string>>, at = now) => ({ fields: new Map(Object.entries(fields)), now: at })

test.each([
  ['every field is equal', { key: 'a', acl: 'private' }],
  ['a field is ignored by its name', { key: 'a', acl: 'private', 'x-ignore-me': '1' }],
  ['the signature and the policy have no condition', { key: 'a', acl: 'private', policy: 'p', 'x-amz-signature': 's' }],
])('a form is allowed when %s', (_name, fields) => {
  requireAllowedForm(policyOf({ KEY: 'a' }, ['EQ', '$Acl', 'private']), form(fields))
})

test('a prefix may be empty, but the field must be sent', () => {
  const policy = policyOf(['starts-with', '$key', 'photos/'], ['starts-with', '$content-type', ''])
  requireAllowedForm(policy, form({ key: 'photos/a', 'content-type': 'x/y' }))
  const denied = (fields: Readonly<Record<string, string>>, failed: string) =>
    expect(() => requireAllowedForm(policy, form(fields))).toThrow(
      expect.objectContaining({ code: 'AccessDenied', message: `Invalid according to Policy: Policy Condition failed: ${failed}` }),
    )
  denied({ key: 'photos/a' }, '["starts-with","$content-type",""]')
  denied({ key: 'photo', 'content-type': '' }, '["starts-with","$key","photos/"]')
  denied({ key: 'Photos/a', 'content-type': '' }, '["starts-with","$key","photos/"]')
})

test('fields without a condition, and expired policies, are denied', () => {
  const policy = policyOf({ key: 'a' })
  expect(() => requireAllowedForm(policy, form({ key: 'a', submit: 'Upload', acl: 'private' }))).toThrow(
    'Invalid according to Policy: Extra input fields: submit, acl',
  )
  requireAllowedForm(policy, form({ key: 'a' }, Date.parse(expiration)))
  expect(() => requireAllowedForm(policy, form({ key: 'a' }, Date.parse(expiration) + 1))).toThrow('Policy expired.')
})

test('the file has a size in every range', () => {
  const { sizes } = policyOf(['content-length-range', 2, 5], ['content-length-range', '0', '4'])
  for (const size of [2, 4]) requireAllowedSize(sizes, size, true)
  requireAllowedSize(sizes, 1, false)
  expect(() => requireAllowedSize(sizes, 1, true)).toThrow(
    expect.objectContaining({ code: 'EntityTooSmall', extras: { ProposedSize: 1, MinSizeAllowed: 2 } }),
  )
  expect(() => requireAllowedSize(sizes, 5, false)).toThrow(
    expect.objectContaining({ code: 'EntityTooLarge', extras: { MaxSizeAllowed: 4 } }),
  )
})
