import { expect, test } from 'vitest'
import { defineSection, flag, integer, list, secret } from '#kernel'
import { readChanges } from './read-changes-policy.ts'

const about = { label: 'A setting', doc: 'What it does.', editable: true } as const
const sections = [
  defineSection('chain', { doc: 'Chain.', keys: { copies: integer(about), key: secret({ label: 'Key', doc: 'Key.' }) } }),
  defineSection('chain.watch', { doc: 'Watch.', keys: { on: flag({ ...about, default: true }), peers: list({ ...about, default: [] }) } }),
]

test('nested values become dotted paths, and lists stay whole', () => {
  expect(readChanges({ chain: { copies: 2, watch: { on: false, peers: ['a', 'b'] } } }, sections)).toEqual({
    values: { 'chain.copies': 2, 'chain.watch.on': false, 'chain.watch.peers': ['a', 'b'] },
    problems: [],
  })
})

test.each([
  [{ cache: { dir: '/x' } }, 'cache', 'is not a setting of this service'],
  [{ chain: { copys: 2 } }, 'chain.copys', 'is not a setting of this service'],
  [{ chain: 5 }, 'chain', 'is not a setting of this service'],
  [{ chain: [] }, 'chain', 'is not a setting of this service'],
  [{ 'chain.copies': 2, toString: 1 }, 'toString', 'is not a setting of this service'],
  [{ chain: { constructor: 1 } }, 'chain.constructor', 'is not a setting of this service'],
  [{ chain: { key: 'x' } }, 'chain.key', 'is changed in the configuration file only'],
  [{ chain: { copies: null } }, 'chain.copies', 'must have a value'],
])('%j is refused at %s', (body, field, message) => {
  expect(readChanges(body, sections).problems).toContainEqual({ field, message })
})

test('names with dots are paths of one step less', () => {
  expect(readChanges({ 'chain.copies': 2 }, sections).values).toEqual({ 'chain.copies': 2 })
})
