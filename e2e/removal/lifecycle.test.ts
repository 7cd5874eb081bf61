/** Lifecycle rules of a bucket, with days of two seconds, down to the pieces at the providers. */
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDatabase } from '../fixtures/check-database.ts'
import { type Stage, stageBucket, startStage } from '../fixtures/gateways/stage.ts'
import { until } from '../fixtures/until.ts'

let stage: Stage

beforeAll(async () => {
  stage = await startStage({ copies: 2, settings: { 'lifecycle.day': '2s', 'worker.tasks.poll_interval': '100ms' } })
})

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
})

const Bucket = stageBucket
const bytes = (text: string) => Buffer.from(text.padEnd(200, '.'))

test('rules delete what has expired, and its copies leave the chain', { timeout: 180_000 }, async () => {
  const { s3, network } = stage
  const first = await stage.put(bytes('first'))
  const { copies } = await stage.stored(first)
  await s3.send(new PutObjectCommand({ Bucket, Key: first.key, Body: bytes('second') }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'tmp/a', Body: bytes('temporary') }))
  await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'tmp/b' }))
  const Rules = [
    {
      ID: 'tmp',
      Filter: { Prefix: 'tmp/' },
      Status: 'Enabled' as const,
      Expiration: { Days: 1 },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    },
    { ID: 'history', Filter: { Prefix: '' }, Status: 'Enabled' as const, NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
  ]
  await s3.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
  // The version below tmp/ gets a delete marker, is deleted as a noncurrent one, and the marker after it.
  await until(
    'only the second version is left',
    async () => {
      const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }))
      return (Versions.length === 1 && DeleteMarkers.length === 0) || undefined
    },
    { withinMs: 60_000 },
  )
  expect((await stage.get(first)).toString()).toBe(bytes('second').toString())
  expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).toEqual([])
  await until(
    'the pieces of the first version leave the chain',
    async () => {
      const states = copies.map((copy) => network.devnet.pieceLive(BigInt(copy.data_set_id), BigInt(copy.piece_id)))
      return (await Promise.all(states)).every((isLive) => !isLive) || undefined
    },
    { withinMs: 120_000 },
  )
  expect(stage.gateway.log()).toContain('lifecycle rules carried out')
  await stage.gateway.stop()
  expect(await checkDatabase(stage.dir, network.devnet)).toEqual([])
})
