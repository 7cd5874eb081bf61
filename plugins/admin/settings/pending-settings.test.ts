import { expect, test } from 'vitest'
import { defineSection, setting } from '#kernel'
import { listPending } from './pending-settings.ts'

const section = defineSection('demo', {
  doc: 'A demo.',
  keys: {
    size: setting.integer({ label: 'Size', doc: 'Size.', default: 1 }),
    names: setting.list({ label: 'Names', doc: 'Names.', default: [] }),
    key: setting.secret({ label: 'Key', doc: 'Key.' }),
    url: setting.text({ label: 'URL', doc: 'URL.', secretParts: (text) => (text.includes('token') ? [text] : []) }),
  },
})
const list = (running: Record<string, unknown>, next: Record<string, unknown>) =>
  listPending({ raw: new Map(Object.entries(running)) as never }, { raw: new Map(Object.entries(next)) as never }, [section])

test('only settings that differ are pending, with both values', () => {
  const running = { 'demo.size': 1, 'demo.names': ['a'] }
  expect(list(running, { 'demo.size': 1, 'demo.names': ['a'] })).toEqual([])
  expect(list(running, { 'demo.size': 2, 'demo.names': ['a', 'b'] })).toEqual([
    { field: 'demo.size', label: 'Size', running: 1, next: 2 },
    { field: 'demo.names', label: 'Names', running: ['a'], next: ['a', 'b'] },
  ])
})

test('I-10: a secret, and a URL with a token, show no value', () => {
  expect(list({ 'demo.key': 'old', 'demo.url': 'http://a' }, { 'demo.key': 'new', 'demo.url': 'http://a?token=b' })).toEqual([
    { field: 'demo.key', label: 'Key' },
    { field: 'demo.url', label: 'URL' },
  ])
})
