import { expect, test } from 'vitest'
import { defineSection, setting } from '#kernel'
import { readChanges } from './read-changes-policy.ts'

const about = { label: 'A setting', doc: 'What it does.', editable: true } as const
const sections = [
  defineSection('chain', { doc: 'Chain.', keys: { copies: setting.integer(about), key: setting.secret({ label: 'Key', doc: 'Key.' }) } }),
  defineSection('chain.watch', {
    doc: 'Watch.',
    keys: { on: setting.flag({ ...about, default: true }), peers: setting.list({ ...about, default: [] }) },
  }),
]

test('nested values become dotted paths, and lists stay whole', () => {
  expect(readChanges({ chain: { copies: 2, watch: { on: false, peers: ['a', 'b'] } } }, sections)).toEqual({
    values: { 'chain.copies': 2, 'chain.watch.on': false, 'chain.watch.peers': ['a', 'b'] },
    problems: [],
  })
})

test('a choice is saved in its own spelling, and an unknown one as it was sent', () => {
  const mode = setting.choice(['lru', 'none'], { ...about, default: 'lru' })
  const cache = [defineSection('cache', { doc: 'Cache.', keys: { mode } })]
  const savedAs = (text: string) => readChanges({ cache: { mode: text } }, cache).values['cache.mode']
  expect(['NONE', 'Lru', 'MRU'].map(savedAs)).toEqual(['none', 'lru', 'MRU'])
})

test.each([
  [{ cache: { dir: '/x' } }, 'cache', 'is not a setting of this service'],
  [{ chain: { copys: 2 } }, 'chain.copys', 'is not a setting of this service'],
  [{ chain: 5 }, 'chain', 'must be an object'],
  [{ chain: [] }, 'chain', 'must be an object'],
  [{ chain: { watch: null } }, 'chain.watch', 'must be an object'],
  [{ 'chain.copies': 2 }, 'chain.copies', 'must be nested, one object for each table'],
  [{ chain: { 'watch.on': false, watch: { on: true } } }, 'chain.watch.on', 'must be nested, one object for each table'],
  [{ toString: 1 }, 'toString', 'is not a setting of this service'],
  [{ chain: { constructor: 1 } }, 'chain.constructor', 'is not a setting of this service'],
  [{ chain: { key: 'x' } }, 'chain.key', 'is changed in the configuration file only'],
  [{ chain: { copies: null } }, 'chain.copies', 'must have a value'],
])('%j is refused at %s', (body, field, message) => {
  expect(readChanges(body, sections).problems).toContainEqual({ field, message })
})
