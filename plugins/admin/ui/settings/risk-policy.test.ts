import { expect, test } from 'vitest'
import { describeLimits, isHighRisk, levelOf, reasonOf, whyInactive } from './risk-policy.ts'
import { aboutSetting } from './testing/settings.ts'

const high = { risk: 'high' } as const
const network = { field: 'chain.network', about: aboutSetting({ ...high, default: 'calibration' }), from: 'mainnet', to: 'calibration' }
const privateNetworks = (to: string) => ({
  field: 'chain.allow_private_networks',
  about: aboutSetting({ ...high, type: 'flag', default: false }),
  from: to === 'true' ? 'false' : 'true',
  to,
})
const region = { field: 's3.region', about: aboutSetting({ risk: 'review' }), from: 'us-east-1', to: 'eu' }

test('a switch of the network needs the typed word in both directions, private networks when they are allowed', () => {
  expect(isHighRisk(network)).toBe(true)
  expect(isHighRisk(privateNetworks('true'))).toBe(true)
  expect(isHighRisk(privateNetworks('false'))).toBe(false)
  expect(levelOf([region])).toBe('review')
  expect(levelOf([region, network])).toBe('typed')
})

test('disabling plugins needs the typed word, enabling all does not', () => {
  const change = (to: string) => ({ field: 'plugins.disabled', about: aboutSetting({ ...high, type: 'list', default: [] }), from: '', to })
  expect([isHighRisk(change('s3')), isHighRisk(change(''))]).toEqual([true, false])
})

test('changes with a risk have a reason, also those of settings of other plugins', () => {
  expect(reasonOf(network)).toContain('contracts')
  expect(reasonOf({ field: 'archive.folder', about: aboutSetting({ risk: 'review' }) })).toBeTruthy()
  expect(reasonOf({ field: 'logging.level', about: aboutSetting() })).toBeUndefined()
})

test('watermarks are inactive under other policies, the rest is not', () => {
  const read = (policy: string) => (field: string) => (field === 'cache.eviction_policy' ? policy : 'true')
  expect(whyInactive('cache.lru_low_watermark_percent', read('lru'))).toBeUndefined()
  expect(whyInactive('cache.lru_low_watermark_percent', read('none'))).toContain('lru only')
  expect(whyInactive('cache.max_size_gb', read('none'))).toBeUndefined()
  expect(whyInactive('server.tls.cert_file', () => 'false')).toContain('TLS is off')
})

test('limits and default are one line', () => {
  expect(describeLimits(aboutSetting({ type: 'integer', min: 1, max: 8, default: 3 }))).toBe('1 to 8 · Default: 3')
  expect(describeLimits(aboutSetting({ type: 'integer', min: 1 }))).toBe('At least 1')
  expect(describeLimits(aboutSetting({ type: 'flag', default: false }))).toBe('Default: off')
  expect(describeLimits(aboutSetting({ secret: true, default: 'hidden' }))).toBe('')
})
