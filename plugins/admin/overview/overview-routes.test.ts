import { expect, test } from 'vitest'
import { clock, definePlugin } from '#kernel'
import { promised } from '#kernel/testing'
import { placements } from '#plugins/replication'
import { cacheGauge } from '#plugins/storage'
import { defineOverviewPart, overviewParts } from '../contract.ts'
import { testAdmin } from '../testing/test-admin.ts'
import { overview } from './overview-api.ts'

const owner_access_key = '__internal_root__'

test('the overview sums up buckets, objects, cache and the service; without the plugin of tasks, these stay at zero', async () => {
  await using admin = await testAdmin()
  for (const name of ['photos', 'backups']) await admin.call('POST', '/api/v1/buckets', { name, owner_access_key })
  for (const key of ['a', 'b']) {
    await admin.fetch(`/api/v1/buckets/photos/objects/upload?key=${key}`, { method: 'POST', body: Buffer.alloc(200, key) })
  }
  const summary = promised(overview, await admin.call('GET', '/api/v1/overview'))
  expect(summary).toMatchObject({
    buckets: { total: 2, by_status: { active: 2 } },
    objects: { total: 2, total_size_bytes: 400, by_state: { cached: 2, stored: 0 }, attention: { needs_attention: 0, unavailable: 0 } },
    tasks: { by_status: { failed: 0 }, attention: { failed: 0 } },
    cache: { used_bytes: 400 },
    workers: {},
    system: { mode: 'full' },
    chain_storage_health: {
      level: 'ok',
      providers: null,
      data_sets: { summary: { total: 0 }, summary_signal: { level: 'ok' } },
      partial_errors: {},
    },
  })
})

test('data sets that cannot be counted are a warning and a named failed part', async () => {
  await using admin = await testAdmin()
  admin.kernel.get(placements).countDataSets = async () => {
    throw new Error('no answer')
  }
  const { chain_storage_health } = promised(overview, await admin.call('GET', '/api/v1/overview'))
  expect(chain_storage_health).toEqual({
    level: 'warning',
    providers: null,
    data_sets: null,
    partial_errors: { observability_data_sets: 'the data sets could not be read' },
  })
})

test('a part that cannot be read stays at zero, and the others are shown', async () => {
  const broken = () => {
    throw new Error('no answer')
  }
  await using admin = await testAdmin({ override: [[cacheGauge, { stats: broken }]] })
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key })
  const summary = promised(overview, await admin.call('GET', '/api/v1/overview'))
  expect(summary).toMatchObject({ cache: { used_bytes: 0, max_bytes: 0 }, buckets: { total: 1 } })
})

test('other plugins add to the overview, and a failing one removes nothing', async () => {
  const health = defineOverviewPart({
    name: 'health',
    into: 'chain_storage_health',
    uses: { clock },
    summarise: async ({ clock }) => ({ level: clock.now() > 0 ? 'blocking' : 'ok' }),
  })
  const workers = defineOverviewPart({ name: 'workers', into: 'workers', uses: {}, summarise: () => ({ watcher: true }) })
  const broken = defineOverviewPart({
    name: 'broken',
    into: 'objects',
    uses: {},
    summarise: () => {
      throw new Error('no answer')
    },
  })
  const watcher = definePlugin({ id: 'watcher', contributes: [overviewParts.with(health, workers, broken)] })
  await using admin = await testAdmin({ plugins: [watcher] })
  const summary = promised(overview, await admin.call('GET', '/api/v1/overview'))
  expect(summary.workers).toEqual({ watcher: true })
  expect(summary.objects).toMatchObject({ total: 0, total_size_bytes: 0 })
  expect(summary.chain_storage_health).toMatchObject({ level: 'blocking', data_sets: { summary: { total: 0 } }, partial_errors: {} })
})
