import { expect, test } from 'vitest'
import { subjectOfAnswer, subjectOfCall } from './audit-subject.ts'

const body = { name: 'photos', note: 'private', chain: { private_key: '0xkey', watch: { interval: '5m' } }, list: ['a'] }

test('only the named members of query, body and answer are logged', () => {
  expect(subjectOfCall({ query: { key: 'a', token: 't' }, body }, ['key', 'name', 'constructor'])).toEqual({ key: 'a', name: 'photos' })
  expect(subjectOfAnswer({ id: 7, secret_key: 's' }, ['id'])).toEqual({ id: 7 })
  expect(subjectOfAnswer(undefined, ['id'])).toEqual({})
})

test('`names` lists the members of a body without their values', () => {
  expect(subjectOfCall({ query: { key: 'a' }, body }, 'names')).toEqual({ names: 'name note chain.private_key chain.watch.interval list' })
  expect(subjectOfAnswer(body, 'names')).toEqual({})
  expect(subjectOfCall({ query: undefined, body: undefined }, 'names')).toEqual({ names: '' })
})

test('a body of many or deeply nested members gives a short line', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`m${n}`, n]))
  expect(String(subjectOfCall({ query: {}, body: many }, 'names').names).split(' ')).toHaveLength(50)
  const deep = JSON.parse(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`)
  expect(subjectOfCall({ query: {}, body: deep }, 'names')).toEqual({ names: 'a.a.a.a' })
})
