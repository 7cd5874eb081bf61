import { expect, test } from 'vitest'
import { basicAuth } from '../testing/http.ts'
import { readBasic } from './basic.ts'

test.each([
  [basicAuth('admin', 'pass'), { username: 'admin', password: 'pass' }],
  [basicAuth('admin', 'with:colon and ünïcode '), { username: 'admin', password: 'with:colon and ünïcode ' }],
  [basicAuth('', ''), { username: '', password: '' }],
  ['bAsIc YTpi', { username: 'a', password: 'b' }],
])('%s is read', (header, expected) => {
  expect(readBasic(header)).toEqual(expected)
})

test.each([
  undefined,
  '',
  'Basic',
  'Basic ',
  'Basic !!!',
  `Basic ${Buffer.from('nocolon').toString('base64')}`,
  'Bearer YTpi',
  'BasicYTpi',
])('%s counts as absent', (header) => {
  expect(readBasic(header)).toBeUndefined()
})
