import { CreateBucketCommand, DeleteObjectCommand, GetObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { createLog } from '#kernel/host'
import { silentLog } from '#kernel/testing'
import { admin, startTestServer } from '../testing/test-server.ts'
import { createAccessLog } from './access-log.ts'

function startLog() {
  const written: string[] = []
  const log = createLog({ level: 'info', format: 'json', secrets: [], write: (line) => written.push(line) })
  return { written, log, lines: () => written.map((line) => JSON.parse(line)) }
}

const always = { in: 's3-access', level: 'info', msg: 'request', client: '127.0.0.1', ms: expect.any(Number) }

test('every request is logged once with caller, operation, client address and outcome', async () => {
  const { log, lines, written } = startLog()
  await using server = await startTestServer({ log })
  const client = server.client(admin)
  const place = { Bucket: 'photos', Key: 'a b/ü.jpg' }
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }))
  await client.send(new PutObjectCommand({ ...place, Body: Buffer.alloc(200) }))
  const got = await client.send(new GetObjectCommand({ ...place, Range: 'bytes=0-99' }))
  await got.Body?.transformToByteArray()
  await client.send(new DeleteObjectCommand(place))
  await client.send(new ListBucketsCommand({}))
  const missing = await client.send(new GetObjectCommand({ ...place, Key: 'none' })).catch((error) => error)
  client.destroy()
  // The response reaches the client before its line is written.
  await expect.poll(() => written.length).toBe(6)
  const user = { ...always, accessKey: admin.accessKey, bytesIn: 0 }
  const object = { bucket: 'photos', key: 'a b/ü.jpg' }
  expect(lines()).toMatchObject([
    { ...user, method: 'PUT', operation: 'CreateBucket', status: 200, bucket: 'photos', bytesOut: 0 },
    { ...user, method: 'PUT', operation: 'PutObject', status: 200, ...object, bytesIn: expect.any(Number), bytesOut: 0 },
    { ...user, method: 'GET', operation: 'GetObject', status: 206, ...object, bytesOut: 100 },
    { ...user, method: 'DELETE', operation: 'DeleteObject', status: 204, ...object },
    { ...user, method: 'GET', operation: 'ListBuckets', status: 200, bytesOut: expect.any(Number) },
    { ...user, method: 'GET', operation: 'GetObject', status: 404, errorCode: 'NoSuchKey', bucket: 'photos', key: 'none' },
  ])
  expect(lines()[1].bytesIn).toBeGreaterThanOrEqual(200)
  expect(lines()[4].bytesOut).toBeGreaterThan(0)
  expect(lines()[4]).not.toHaveProperty('bucket')
  expect(lines()[5].requestId).toBe(missing.$metadata.requestId)
})

test('a rejected signature is logged with its access key; lines contain no signature, query or header', async () => {
  const { log, lines, written } = startLog()
  await using server = await startTestServer({ log })
  await server.send({ method: 'GET', url: '/photos/k', user: { ...admin, secretKey: 'not the secret' } })
  const query = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${admin.accessKey}%2F20260101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=${'ab'.repeat(32)}`
  await server.sendRaw(`GET /photos/k?${query} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await server.sendRaw('GET /photos/k HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await expect.poll(() => written.length).toBe(3)
  expect(lines()).toMatchObject([
    { status: 403, errorCode: 'SignatureDoesNotMatch', accessKey: admin.accessKey },
    { status: 403, errorCode: 'AccessDenied', bucket: 'photos', key: 'k' },
    { status: 404, errorCode: 'NoSuchBucket' },
  ])
  expect(lines()[2]).not.toHaveProperty('accessKey')
  expect(written.join()).not.toMatch(/X-Amz|Signature=|abab|AWS4/i)
})

test('a response that the client aborts is logged as CutOff with the bytes sent', async () => {
  const { log, lines, written } = startLog()
  await using server = await startTestServer({ log })
  const client = server.client(admin)
  const size = 32 * 1024 * 1024
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }))
  await client.send(new PutObjectCommand({ Bucket: 'photos', Key: 'long', Body: Buffer.alloc(size) }))
  const leave = new AbortController()
  const got = await client.send(new GetObjectCommand({ Bucket: 'photos', Key: 'long' }), { abortSignal: leave.signal })
  ;(got.Body as unknown as { destroy(): void }).destroy()
  client.destroy()
  await expect.poll(() => written.length).toBe(3)
  expect(lines()[2]).toMatchObject({ operation: 'GetObject', status: 200, errorCode: 'CutOff' })
  expect(lines()[2].bytesOut).toBeLessThan(size)
})

const ended = { method: 'GET', place: undefined, status: 200, notes: { sentBytes: 0 }, receivedBytes: 0, durationMs: 1 }
const request = { ...ended, clientAddress: '::1', requestId: 'A' }

test('the lines have the configured level, and are omitted below the log level', () => {
  const { log, lines } = startLog()
  createAccessLog({ enabled: true, level: 'warn' }, log)(request)
  createAccessLog({ enabled: true, level: 'debug' }, log)(request)
  expect(lines()).toMatchObject([{ level: 'warn' }])
})

test('a disabled access log writes nothing', () => {
  const log = { ...silentLog, child: () => expect.unreachable() }
  createAccessLog({ enabled: false, level: 'error' }, log)(request)
})
