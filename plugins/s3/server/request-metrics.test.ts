import { CreateBucketCommand, GetObjectCommand, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { admin, startTestServer } from '../testing/test-server.ts'
import { OperationCounts, requestMetrics } from './request-metrics.ts'

const [operations, durations] = requestMetrics
const collect = async (operationCounts: OperationCounts) => (await operations?.collect({ operationCounts })) ?? []

/** Counts above 0. */
const counted = async (counts: OperationCounts) =>
  Object.fromEntries(
    (await collect(counts)).filter(({ value }) => value !== 0).map(({ labels, value }) => [Object.values(labels).join(' '), value]),
  )

test('every operation has both outcomes from the start', async () => {
  const samples = await collect(new OperationCounts())
  const operations = ['put', 'get', 'head', 'delete', 'copy', 'list', 'multipart']
  expect(samples).toEqual(
    operations.flatMap((operation) => ['success', 'failure'].map((status) => ({ labels: { operation, status }, value: 0 }))),
  )
})

test('requests are counted by operation and outcome', async () => {
  await using server = await startTestServer()
  const client = server.client(admin)
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }))
  const place = { Bucket: 'photos', Key: 'k' }
  await client.send(new PutObjectCommand({ ...place, Body: Buffer.alloc(200) }))
  const { Body } = await client.send(new GetObjectCommand(place))
  await Body?.transformToByteArray()
  await client.send(new HeadObjectCommand(place))
  await client.send(new ListObjectsV2Command({ Bucket: 'photos' }))
  await expect(client.send(new GetObjectCommand({ ...place, Key: 'none' }))).rejects.toMatchObject({ name: 'NoSuchKey' })
  await expect(client.send(new PutObjectCommand({ ...place, IfNoneMatch: '*', Body: Buffer.alloc(200) }))).rejects.toThrow()
  client.destroy()
  // The response reaches the client before it is counted.
  await expect
    .poll(() => counted(server.operationCounts))
    .toEqual({
      'put success': 1,
      'put failure': 1,
      'get success': 1,
      'get failure': 1,
      'head success': 1,
      'list success': 1,
    })
})

test('a request with an invalid signature is not counted', async () => {
  await using server = await startTestServer()
  const client = server.client({ ...admin, secretKey: 'not the secret' })
  await expect(client.send(new GetObjectCommand({ Bucket: 'photos', Key: 'k' }))).rejects.toThrow()
  client.destroy()
  expect(await counted(server.operationCounts)).toEqual({})
})

test('a success adds its duration to the histogram of its operation, a failure does not', async () => {
  const counts = new OperationCounts()
  for (const ms of [1, 3, 40_000]) counts.add('GetObject', 'success', ms)
  counts.add('GetObject', 'failure', 1)
  expect(await durations?.collect({ operationCounts: counts })).toEqual([
    { labels: { operation: 'get' }, value: expect.objectContaining({ counts: [1, 0, 1, ...Array(12).fill(0), 1], sum: 40.004 }) },
  ])
})
