/** Metrics, version, workers, cache stats and the overview. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { cacheStats, overview, systemInfo, systemPlugins } from '../../plugins/admin/api.ts'
import { workers } from '../../plugins/tasks/api.ts'
import { answerOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData } from '../fixtures/admin-data.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'

let svc: Gateway
let data: AdminData
beforeAll(async () => {
  svc = await sharedServe()
  data = createAdminData(svc)
})

const readOverview = async () => answerOf(overview, await svc.call('GET', '/api/v1/overview'))

test('metrics are text in the exposition format', async () => {
  const { headers, text } = await svc.call('GET', '/metrics')
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  const lines = text.split('\n').filter((line) => line !== '')
  expect(lines.filter((line) => !/^(# (HELP|TYPE) [a-z0-9_]+ .+|[a-z0-9_]+(\{[^{}]*\})? (-?[\d.e+-]+|NaN|\+Inf))$/i.test(line))).toEqual([])
  for (const name of [
    'svc_cache_used_bytes',
    'svc_cache_max_bytes',
    'svc_cache_hits_total',
    'svc_cache_misses_total',
    'svc_object_state_distribution',
    'svc_task_queue_depth',
    'svc_backend_object_operations_total',
    'svc_build_info',
  ]) {
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^# TYPE ${name} (gauge|counter)$`)))
  }
})

test('system info shows package version, mode and start time', async () => {
  const info = answerOf(systemInfo, await svc.call('GET', '/api/v1/system/info'))
  const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'))
  expect(info).toMatchObject({ version, mode: 'full', started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) })
  const sinceSeconds = (Date.now() - Date.parse(info.started_at)) / 1000
  expect(Math.abs(sinceSeconds - info.uptime_seconds)).toBeLessThan(5)
  const plugins = answerOf(systemPlugins, await svc.call('GET', '/api/v1/system/plugins'))
  expect(plugins.map(({ id, enabled }) => ({ id, enabled }))).toEqual(info.plugins)
})

test('workers are listed with health and activity', async () => {
  const { workers: health, details } = answerOf(workers, await svc.call('GET', '/api/v1/workers'))
  expect(health).toEqual({ tasks: true })
  expect(details.tasks).toMatchObject({ healthy: true, active: expect.any(Number) })
})

test('cache stats show usage and capacity in bytes', async () => {
  const read = async () => answerOf(cacheStats, await svc.call('GET', '/api/v1/cache/stats'))
  const before = await read()
  expect(before).toMatchObject({ max_bytes: 100 * 1024 ** 3, reserved_bytes: 0, eviction_policy: 'lru' })
  await data.upload(await data.makeBucket(), 'a', Buffer.alloc(5000, 'a'))
  expect((await read()).used_bytes).toBe(before.used_bytes + 5000)
})

describe('the overview', () => {
  test('sums up buckets and objects', async () => {
    const before = await readOverview()
    const bucket = await data.makeBucket()
    await data.upload(bucket, 'kept', Buffer.alloc(300, 'k'))
    await data.upload(bucket, 'deleted')
    await data.remove(bucket, 'deleted')
    const after = await readOverview()
    expect(after.buckets).toEqual({ total: before.buckets.total + 1, by_status: { active: before.buckets.total + 1 } })
    expect(after.objects.total).toBe(before.objects.total + 1)
    expect(after.objects.total_size_bytes).toBe(before.objects.total_size_bytes + 300)
  })

  test('repeats cache stats, workers and system info', async () => {
    const { cache, workers: health, system } = await readOverview()
    expect(cache).toEqual(answerOf(cacheStats, await svc.call('GET', '/api/v1/cache/stats')))
    expect(health).toEqual(answerOf(workers, await svc.call('GET', '/api/v1/workers')).workers)
    const { uptime_seconds, ...info } = answerOf(systemInfo, await svc.call('GET', '/api/v1/system/info'))
    expect(system).toMatchObject(info)
    expect(uptime_seconds - system.uptime_seconds).toBeLessThan(5)
  })
})
