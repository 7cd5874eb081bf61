import { expect, test } from 'vitest'
import { testKernel } from '#kernel/testing'
import { builtinPlugins } from '../index.ts'
import { cacheGauge } from './contract.ts'
import { cacheSection } from './settings.ts'

const values = {
  dir: '/cache',
  max_size_gb: 1,
  eviction_policy: 'lru',
  lru_high_watermark_percent: 90,
  lru_low_watermark_percent: 80,
} as const

const check = (low: number, high: number, eviction_policy = 'lru') =>
  cacheSection.check({ ...values, eviction_policy, lru_low_watermark_percent: low, lru_high_watermark_percent: high } as never)

test('under lru the low watermark must be below the high one', () => {
  expect(check(80, 90)).toEqual([])
  expect(check(0, 1)).toEqual([])
  expect(check(90, 90)).toEqual([{ key: 'lru_low_watermark_percent', message: 'must be below lru_high_watermark_percent (90)' }])
})

test.each(['after_upload', 'none'])('under %s the watermarks are not checked', (policy) => {
  expect(check(90, 80, policy)).toEqual([])
})

test('the capacity is the configured one, in units of 1024^3 bytes', async () => {
  await using svc = await testKernel({
    plugins: builtinPlugins,
    config: {
      'server.port': '127.0.0.1:0',
      'chain.private_key': '42'.repeat(32),
      'chain.rpc_url': 'http://127.0.0.1:9/',
      'cache.max_size_gb': 3,
    },
  })
  expect(svc.kernel.get(cacheGauge).stats()).toMatchObject({ usedBytes: 0, maxBytes: 3 * 1024 ** 3 })
  expect((await svc.call('GET', '/api/v1/cache/stats')).body).toMatchObject({ max_bytes: 3 * 1024 ** 3 })
})

test.each([
  ['cache.max_size_gb', 0],
  ['cache.max_size_gb', 8_388_608],
  ['cache.eviction_policy', 'fifo'],
  ['cache.lru_high_watermark_percent', 101],
  ['cache.lru_low_watermark_percent', -1],
  ['cache.lru_low_watermark_percent', 95],
])('%s = %j is invalid: the gateway starts in setup mode and names the setting', async (field, value) => {
  await using svc = await testKernel({ plugins: builtinPlugins, config: { 'chain.private_key': '42'.repeat(32), [field]: value } })
  expect(svc.kernel.mode).toBe('setup')
  expect((await svc.call('GET', '/api/v1/settings')).body.validation_errors).toMatchObject([{ field }])
})
