import { expect, test } from 'vitest'
import { definePlugin, provide } from '#kernel'
import { promised } from '#kernel/testing'
import { type Chain, chainClient } from '#plugins/wallet'
import { testAdmin } from '../testing/test-admin.ts'
import { cacheStats } from './cache-api.ts'
import { systemInfo, systemPlugins } from './system-api.ts'

test('system info shows version, mode and plugins', async () => {
  await using admin = await testAdmin({
    plugins: [definePlugin({ id: 'extra', requires: ['storage'] })],
    config: { 'plugins.disabled': ['extra'] },
  })
  const info = promised(systemInfo, await admin.call('GET', '/api/v1/system/info'))
  expect(info).toMatchObject({ mode: 'full', uptime_seconds: expect.any(Number), started_at: expect.stringMatching(/Z$/) })
  expect(info).not.toHaveProperty('network')
  expect(info.plugins).toEqual([
    { id: 'storage', enabled: true },
    { id: 'replication', enabled: true },
    { id: 'admin', enabled: true },
    { id: 'extra', enabled: false },
  ])
  const plugins = promised(systemPlugins, await admin.call('GET', '/api/v1/system/plugins'))
  expect(plugins.find(({ id }) => id === 'storage')).toMatchObject({ requires: [], services: expect.arrayContaining(['storage.buckets']) })
  expect(plugins.find(({ id }) => id === 'extra')).toMatchObject({ enabled: false, requires: ['storage'] })
})

test('the cache shows its use', async () => {
  const config = { 'cache.max_size_gb': 1, 'cache.lru_high_watermark_percent': 50, 'cache.lru_low_watermark_percent': 25 }
  await using admin = await testAdmin({ config })
  expect(promised(cacheStats, await admin.call('GET', '/api/v1/cache/stats'))).toEqual({
    used_bytes: 0,
    max_bytes: 2 ** 30,
    reserved_bytes: 0,
    eviction_policy: 'lru',
    high_watermark_bytes: 2 ** 29,
    low_watermark_bytes: 2 ** 28,
    eviction_paused: false,
  })
})

test('system info names the chain when the wallet plugin is enabled', async () => {
  const chain = { network: { name: 'devnet', chainId: 31415926 } } as Chain
  const wallet = definePlugin({ id: 'wallet', provides: [provide(chainClient, {}, () => chain)] })
  await using admin = await testAdmin({ plugins: [wallet] })
  const named = { network: 'devnet', chain_id: 31415926 }
  expect(promised(systemInfo, await admin.call('GET', '/api/v1/system/info'))).toMatchObject(named)
  expect((await admin.call('GET', '/api/v1/overview')).body.system).toMatchObject(named)
})

test.each(['system/info', 'system/plugins', 'cache/stats', 'buckets'])('%s requires an operator', async (path) => {
  await using admin = await testAdmin()
  const response = await fetch(`${admin.url}/api/v1/${path}`)
  expect(response.status).toBe(401)
})
