import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, PutBucketLifecycleConfigurationCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { database, taskKinds, taskQueue } from '#kernel'
import { loadContributions } from '#kernel/host'
import { type TestKernel, testKernel } from '#kernel/testing'
import { buckets } from '#plugins/storage'
import { s3Plugin } from '../s3/plugin.ts'
import { startTestGateway } from '../s3/testing/test-gateway.ts'
import { storagePlugin } from '../storage/plugin.ts'
import { lifecyclePlugin } from './plugin.ts'
import { applyRulesTask } from './runs/apply-rules-task.ts'

const dayMs = 86_400_000

test('an object says its first midnight at least the days of the rule away', async () => {
  await using gateway = await startTestGateway({}, [lifecyclePlugin])
  const client = gateway.client()
  const Bucket = 'photos'
  await client.send(new CreateBucketCommand({ Bucket }))
  const Rules = [{ ID: 'soon', Prefix: 'tmp/', Status: 'Enabled' as const, Expiration: { Days: 2 } }]
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
  const before = Date.now()
  const { Expiration = '' } = await client.send(new PutObjectCommand({ Bucket, Key: 'tmp/a', Body: 'x'.repeat(200) }))
  const [, date = '', rule] = /^expiry-date="(.*)", rule-id="(.*)"$/.exec(Expiration) ?? []
  expect(rule).toBe('soon')
  const atMs = Date.parse(date)
  expect(atMs % dayMs).toBe(0)
  expect(atMs).toBeGreaterThanOrEqual(before + 2 * dayMs)
  expect(atMs).toBeLessThanOrEqual(Date.now() + 3 * dayMs)
  const kept = await client.send(new PutObjectCommand({ Bucket, Key: 'b', Body: 'x'.repeat(200) }))
  expect(kept.Expiration).toBeUndefined()
})

test('while the plugin is disabled rules are kept and shown, new ones are refused, and its tasks wait', async () => {
  using kept = temporaryFolder()
  const plugins = [storagePlugin, s3Plugin, lifecyclePlugin]
  const path = '/api/v1/buckets/photos/s3-settings'
  const start = (more: Readonly<Record<string, readonly string[]>> = {}) =>
    testKernel({ plugins, dir: kept.path, config: { 'server.port': '127.0.0.1:0', ...more } })
  const rules = [{ id: 'r', enabled: true, expire_days: 1 }]
  {
    await using svc = await start()
    expect((await svc.call('POST', '/api/v1/s3-users', { role: 'userplus' })).status).toBe(201)
    await svc.kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
    expect((await svc.call('PUT', `${path}/lifecycle`, { rules })).body).toEqual({ rules })
    await svc.kernel
      .get(database)
      .write((tx) => svc.kernel.get(taskQueue).add(tx, applyRulesTask, due(svc), { key: 'held', runAtMs: Date.now() + dayMs }))
  }
  {
    await using svc = await start({ 'plugins.disabled': ['lifecycle'] })
    expect((await svc.call('GET', path)).body).toMatchObject({ lifecycle_rules: rules, lifecycle_is_on: false })
    expect(await svc.call('PUT', `${path}/lifecycle`, { rules: [{ ...rules[0], expire_days: 2 }] })).toMatchObject({
      status: 400,
      body: { code: 's3_setting_refused' },
    })
    expect(await svc.kernel.get(taskQueue).hasOpen(svc.kernel.get(database).read, 'held')).toBe(true)
    expect((await svc.call('PUT', `${path}/lifecycle`, { rules: [] })).body).toEqual({ rules: [] })
  }
})

const due = ({ kernel }: TestKernel) => ({ bucketId: kernel.get(buckets).require('photos').id, bucket: 'photos', dueMs: 0 })

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'svc-lifecycle-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test('it rests without the S3 API, and its kinds of tasks are its own', async () => {
  expect([lifecyclePlugin.requires, lifecyclePlugin.accompanies]).toEqual([['storage'], ['s3']])
  const kinds = (await loadContributions(taskKinds, [lifecyclePlugin])).map(({ item }) => item.kind)
  expect(kinds).toEqual(['lifecycle_find', 'lifecycle_apply'])
})
