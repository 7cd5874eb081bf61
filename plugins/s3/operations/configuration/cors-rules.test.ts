import { expect, test } from 'vitest'
import type { CorsRule } from '../../documents/cors-configuration.ts'
import { allowCrossOrigin, checkCorsRules } from './cors-rules.ts'

const rule = (more: Partial<CorsRule> = {}): CorsRule => ({
  origins: ['https://a.example'],
  methods: ['GET'],
  headers: [],
  exposed: [],
  ...more,
})
const ask = (rules: readonly CorsRule[], origin: string, method = 'GET', headers: readonly string[] = []) =>
  allowCrossOrigin(rules, { origin, method, headers })

test.each([
  ['https://a.example', 'https://a.example', true],
  ['https://a.example', 'https://A.example', false],
  ['https://a.example', 'https://a.example.org', false],
  ['https://*.example', 'https://b.example', true],
  ['https://*.example', 'http://b.example', false],
  ['*suffix', 'suffix', true],
  ['start*end', 'startend', true],
  ['start*tend', 'start.tend', true],
  ['start*tend', 'startend', false],
  ['*', 'null', true],
])('the origin pattern %s and the origin %s: %s', (pattern, origin, isAllowed) => {
  expect(ask([rule({ origins: [pattern] })], origin) !== undefined).toBe(isAllowed)
})

test('only the pattern * answers with it, and then without credentials', () => {
  expect(ask([rule({ origins: ['*'] })], 'https://x')).toEqual({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET',
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  })
  expect(ask([rule({ origins: ['https://*'] })], 'https://x')).toMatchObject({
    'access-control-allow-origin': 'https://x',
    'access-control-allow-credentials': 'true',
  })
})

test('method and every requested header must be allowed by the same rule, and the first such rule counts', () => {
  const rules = [
    rule({ headers: ['x-amz-*'], maxAgeSeconds: 1 }),
    rule({ methods: ['PUT', 'GET'], headers: ['*'], exposed: ['ETag', 'x-amz-version-id'], maxAgeSeconds: 2 }),
  ]
  const origin = 'https://a.example'
  expect(ask(rules, origin, 'GET', ['X-AMZ-Date'])?.['access-control-max-age']).toBe('1')
  expect(ask(rules, origin, 'GET', ['x-amz-date', 'content-type'])).toMatchObject({
    'access-control-max-age': '2',
    'access-control-allow-methods': 'PUT, GET',
    'access-control-allow-headers': 'x-amz-date, content-type',
    'access-control-expose-headers': 'ETag, x-amz-version-id',
  })
  expect(ask(rules, origin, 'PUT')?.['access-control-max-age']).toBe('2')
  expect(ask(rules, origin, 'DELETE')).toBeUndefined()
  expect(ask(rules.slice(0, 1), origin, 'GET', ['content-type'])).toBeUndefined()
  expect(ask([rule()], origin, 'GET', ['content-type'])).toBeUndefined()
})

test.each([
  ['no rule', [], 'MalformedXML'],
  ['101 rules', Array.from({ length: 101 }, () => rule()), 'InvalidRequest'],
  ['no origin', [rule({ origins: [] })], 'MalformedXML'],
  ['no method', [rule({ methods: [] })], 'MalformedXML'],
  ['another method', [rule({ methods: ['GET', 'PATCH'] })], 'InvalidRequest'],
  ['a method in lower case', [rule({ methods: ['get'] })], 'InvalidRequest'],
  ['an origin with two wildcards', [rule({ origins: ['*.*'] })], 'InvalidRequest'],
  ['an origin with a line break', [rule({ origins: ['a\r\nset-cookie:x'] })], 'InvalidRequest'],
  ['a header with two wildcards', [rule({ headers: ['*-*'] })], 'InvalidRequest'],
  ['an exposed header with a wildcard', [rule({ exposed: ['x-*'] })], 'InvalidRequest'],
  ['an exposed header with a line break', [rule({ exposed: ['x\r\ny'] })], 'InvalidRequest'],
  ['a long ID', [rule({ id: 'i'.repeat(256) })], 'InvalidRequest'],
])('a configuration with %s is refused', (_, rules, code) => {
  expect(() => checkCorsRules(rules)).toThrow(expect.objectContaining({ code, status: 400 }))
})

test('the limits themselves are allowed', () => {
  checkCorsRules(Array.from({ length: 100 }, () => rule({ id: 'i'.repeat(255), headers: ['*'], origins: ['*'] })))
})
