import { expect, test } from 'vitest'
import { isHighRisk, needsConfirmation, nest, readValue, showValue, writeValue } from './setting-text-policy.ts'

test('a value is read in the form of its setting', () => {
  expect([readValue('12', { type: 'integer' }), readValue('12', { type: 'text' })]).toEqual([12, '12'])
})

test.each([
  ['CALIBRATION', 'calibration'],
  ['testnet', 'testnet'],
])('the choice "%s" is read as "%s"', (text, value) => {
  expect(readValue(text, { type: 'text', allowed: ['calibration', 'mainnet'] })).toBe(value)
})

test('values are nested by their paths', () => {
  const tree = nest({ 'chain.default_copies': 2, 'chain.watch.on': false, 'cache.dir': '/x' })
  expect(tree).toEqual({ chain: { default_copies: 2, watch: { on: false } }, cache: { dir: '/x' } })
})

test('a single value is printed bare, a summary is formatted', () => {
  expect([writeValue(true), writeValue(['a', 'b']), writeValue(undefined)]).toEqual(['true', 'a,b', ''])
  expect([showValue(true), showValue(false), showValue(5)]).toEqual(['yes', 'no', '5'])
})

test.each([
  ['chain.network', 'mainnet', true],
  ['chain.network', 'Mainnet', true],
  ['chain.network', 'calibration', false],
  ['chain.allow_private_networks', 'true', true],
  ['chain.allow_private_networks', 'false', false],
  ['cache.max_size_gb', '1', false],
])('%s=%s needs a confirmation: %s', (field, text, isNeeded) => {
  expect(needsConfirmation(field, text)).toBe(isNeeded)
})

test.each([
  ['high', 'mainnet', 'calibration', true],
  ['high', 'calibration', 'calibration', false],
  ['high', ['s3'], [], true],
  ['high', [], [], false],
  ['review', 5, 3, false],
  ['none', 'debug', 'info', false],
] as const)('risk %s: %j instead of the default %j needs --yes: %s', (risk, value, fallback, isNeeded) => {
  expect(isHighRisk({ risk, default: fallback }, value)).toBe(isNeeded)
})
