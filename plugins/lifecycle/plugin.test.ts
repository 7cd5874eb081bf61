import { CreateBucketCommand, PutBucketLifecycleConfigurationCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { taskKinds } from '#kernel'
import { loadContributions } from '#kernel/host'
import { startTestGateway } from '../s3/testing/test-gateway.ts'
import { lifecyclePlugin } from './plugin.ts'

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

test('it rests without the S3 API, and its kinds of tasks are its own', async () => {
  expect([lifecyclePlugin.requires, lifecyclePlugin.accompanies]).toEqual([['storage'], ['s3']])
  const kinds = (await loadContributions(taskKinds, [lifecyclePlugin])).map(({ item }) => item.kind)
  expect(kinds).toEqual(['lifecycle_find', 'lifecycle_apply'])
})
