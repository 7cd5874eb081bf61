/** Refused S3 requests leave no file, no row and no task. */
import { connect } from 'node:net'
import { ListObjectsV2Command, ListObjectVersionsCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from '#kernel/testing'
import { chunkedBody } from '../plugins/s3/testing/chunked-body.ts'
import { exchangeRaw } from '../plugins/s3/testing/raw-exchange.ts'
import { type SignedRequestOptions, signedRequest } from '../plugins/s3/testing/signed-request.ts'
import { listCachedFiles } from './fixtures/cached-files.ts'
import { countRows } from './fixtures/gateways/gateway-database.ts'
import { type Stage, type StoredObject, stageBucket, startStage } from './fixtures/gateways/stage.ts'
import { until } from './fixtures/until.ts'

/** The limit of the providers. */
const objectBytesMax = 1_065_353_216

let stage: Stage
let earlier: StoredObject
let user: { readonly accessKey: string; readonly secretKey: string }
let before: Inventory

beforeAll(async () => {
  stage = await startStage({ copies: 1 })
  earlier = await stage.put()
  await stage.stored(earlier)
  const { access_key, secret_key } = await stage.gateway.createUser()
  user = { accessKey: access_key, secretKey: secret_key }
  before = await takeStock()
})

afterAll(() => stage?.[Symbol.asyncDispose]())

interface Inventory {
  readonly objects: readonly (string | undefined)[]
  readonly versions: number
  readonly cacheFiles: number
  readonly rows: Readonly<Record<string, number>>
}

const countedTables = ['buckets', 'contents', 'object_versions', 'object_heads', 'pieces', 'copies', 'tasks', 'cache_entries', 's3_users']

/** Counts of everything that a request can create. */
async function takeStock(): Promise<Inventory> {
  const { Contents = [] } = await stage.s3.send(new ListObjectsV2Command({ Bucket: stageBucket }))
  const listed = await stage.s3.send(new ListObjectVersionsCommand({ Bucket: stageBucket })).catch(() => undefined)
  // The cache check runs every minute without a request.
  const rowsOf = (table: string) => (table === 'tasks' ? `tasks where kind <> 'cache_capacity_reconcile'` : table)
  return {
    objects: Contents.map(({ Key }) => Key),
    versions: listed?.Versions?.length ?? 0,
    cacheFiles: listCachedFiles(stage.dir).length,
    rows: Object.fromEntries(countedTables.map((table) => [table, countRows(stage.dir, rowsOf(table))])),
  }
}

const s3Port = () => Number(new URL(stage.gateway.s3Url).port)
const content = Buffer.alloc(200, 'x')
const chunks = [Buffer.alloc(70_000, 'a'), Buffer.alloc(80, 'b')]
const signedChunks = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
const unsignedTrailer = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
const decodedLength = { 'x-amz-decoded-content-length': '70080' }
const trailer = { ...decodedLength, 'x-amz-trailer': 'x-amz-checksum-crc32' }
const aMinute = 60_000

type Refusal = readonly [what: string, request: () => Partial<SignedRequestOptions>, code: string]

const puts: readonly Refusal[] = [
  ['a wrong signature', () => ({ user: { ...user, secretKey: 'wrong' } }), 'SignatureDoesNotMatch'],
  ['an unknown access key', () => ({ user: { ...user, accessKey: 'AKIANOBODY' } }), 'InvalidAccessKeyId'],
  ['a clock 16 minutes behind', () => ({ now: Date.now() - 16 * aMinute }), 'RequestTimeTooSkewed'],
  ['a clock 16 minutes ahead', () => ({ now: Date.now() + 16 * aMinute }), 'RequestTimeTooSkewed'],
  ['126 bytes', () => ({ body: content.subarray(0, 126) }), 'EntityTooSmall'],
  [
    'one byte more than the longest object',
    () => ({ unsignedHeaders: { 'content-length': String(objectBytesMax + 1) } }),
    'EntityTooLarge',
  ],
  [
    'one byte more than the longest object, in chunks',
    () => ({
      payload: unsignedTrailer,
      headers: { ...trailer, 'x-amz-decoded-content-length': String(objectBytesMax + 1) },
      body: 'a\r\n',
    }),
    'EntityTooLarge',
  ],
  ['NUL in the key', () => ({ url: `/${stageBucket}/a%00b` }), 'InvalidArgument'],
  ['a key of 1025 bytes', () => ({ url: `/${stageBucket}/${'k'.repeat(1025)}` }), 'KeyTooLongError'],
  ['a key of 1026 bytes in 513 characters', () => ({ url: `/${stageBucket}/${'%C3%A9'.repeat(513)}` }), 'KeyTooLongError'],
  ['a key that is not UTF-8', () => ({ url: `/${stageBucket}/%ff%fe` }), 'InvalidURI'],
  ['a key with half a surrogate', () => ({ url: `/${stageBucket}/%ED%A0%80` }), 'InvalidURI'],
  ['other bytes than were hashed', () => ({ payload: 'a'.repeat(64) }), 'XAmzContentSHA256Mismatch'],
  ['a wrong Content-MD5', () => ({ headers: { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' } }), 'BadDigest'],
  [
    'a flipped byte in a signed chunk',
    () => ({
      payload: signedChunks,
      headers: decodedLength,
      bodyOf: (framing) => {
        const { wire } = chunkedBody('signed', chunks, framing)
        wire.writeUInt8(wire.readUInt8(5000) ^ 1, 5000)
        return wire
      },
    }),
    'SignatureDoesNotMatch',
  ],
  [
    'signed chunks without their end',
    () => ({
      payload: signedChunks,
      headers: decodedLength,
      bodyOf: (framing) => chunkedBody('signed', chunks, framing).wire.subarray(0, -100),
    }),
    'IncompleteBody',
  ],
  ['a chunk size that is none', () => ({ payload: unsignedTrailer, headers: trailer, body: 'zz\r\nabc\r\n0\r\n\r\n' }), 'IncompleteBody'],
  [
    'more bytes in chunks than announced',
    () => ({ payload: unsignedTrailer, headers: trailer, body: `12000\r\n${'a'.repeat(0x12000)}\r\n0\r\n\r\n` }),
    'IncompleteBody',
  ],
  [
    'a wrong checksum in the trailer',
    () => ({
      payload: unsignedTrailer,
      headers: { ...trailer, 'x-amz-decoded-content-length': '150' },
      body: `96\r\n${'a'.repeat(150)}\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n`,
    }),
    'BadDigest',
  ],
]

test.each(puts)('a PUT with %s is refused and leaves nothing', async (_what, request, code) => {
  const port = s3Port()
  const { head, body } = signedRequest(port, { method: 'PUT', url: `/${stageBucket}/refused`, body: content, user, ...request() })
  const answer = await exchangeRaw(port, [head, body])
  expect(answer).toMatchObject({ code })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(await takeStock()).toEqual(before)
})

test('a client that disconnects during its body leaves nothing', async () => {
  const port = s3Port()
  const body = Buffer.alloc(1024 * 1024, 'x')
  const { head } = signedRequest(port, { method: 'PUT', url: `/${stageBucket}/refused`, body, user })
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((sent) => socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, 300_000)]), () => sent()))
  await until('a file for the bytes', async () => ((await takeStock()).cacheFiles > before.cacheFiles ? true : undefined))
  socket.destroy()
  await until('the file to go', async () => ((await takeStock()).cacheFiles === before.cacheFiles ? true : undefined))
  expect(await takeStock()).toEqual(before)
})

test('bytes that are not HTTP are refused and leave nothing', async () => {
  for (const bytes of ['\0\0\0\0\r\n\r\n', 'GET\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(10_000)}\r\n`]) {
    expect(await sendRaw(stage.gateway.s3Url, bytes).catch((error: Error) => error.message)).toMatch(
      /^HTTP\/1\.1 4\d\d |ECONNRESET|EPIPE|^$/,
    )
  }
  expect(await takeStock()).toEqual(before)
})

test('after all refusals the earlier object is intact and the service accepts the next one', async () => {
  expect((await stage.get(earlier)).equals(earlier.bytes)).toBe(true)
  const next = await stage.put()
  expect(await stage.settle([earlier, next])).toEqual([])
})
