import { HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChecksumAlgorithm, checksumLengths, startChecksum } from '#plugins/storage'
import { chunkedBody } from '../../testing/chunked-body.ts'
import type { SignedRequestOptions } from '../../testing/signed-request.ts'
import { owner, startStoredServer } from '../../testing/test-server.ts'

let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client

beforeAll(async () => {
  server = await startStoredServer()
  client = server.client()
  await server.storage.buckets.create({ name: 'sums', ownerAccessKey: owner.accessKey })
})

afterAll(async () => {
  client.destroy()
  await server.storage.expectSound()
  await server[Symbol.asyncDispose]()
})

const algorithms = Object.keys(checksumLengths) as ChecksumAlgorithm[]
const chunks = [Buffer.alloc(70_000, 'first '), Buffer.alloc(100, 'second ')]
const bytes = Buffer.concat(chunks)

async function checksumOf(algorithm: ChecksumAlgorithm): Promise<string> {
  const running = await startChecksum(algorithm)
  running.update(bytes)
  return running.digest().toString('base64')
}

const send = (method: string, key: string, more: Partial<SignedRequestOptions> = {}) =>
  server.send({ method, url: `/sums/${key}`, user: owner, ...more })

/** Puts the bytes with the value in a header, or in a trailer of each framing. */
function put(key: string, name: string, value: string, where: 'header' | 'signed-trailer' | 'unsigned-trailer') {
  if (where === 'header') return send('PUT', key, { body: bytes, headers: { [name]: value } })
  const headers = { 'x-amz-decoded-content-length': String(bytes.length), 'x-amz-trailer': name, 'content-encoding': 'aws-chunked' }
  const payload = where === 'signed-trailer' ? 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER' : 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
  return send('PUT', key, { payload, headers, bodyOf: (framing) => chunkedBody(where, chunks, framing, { [name]: value }).wire })
}

const places = ['header', 'signed-trailer', 'unsigned-trailer'] as const
const cases = algorithms.flatMap((algorithm) => places.map((where) => [algorithm, where] as const))

test.each(cases)('%s in a %s is verified, stored and answered', async (algorithm, where) => {
  const name = `x-amz-checksum-${algorithm}`
  const value = await checksumOf(algorithm)
  const key = `${algorithm}-${where}`
  const stored = await put(key, name, value, where)
  expect(stored.status).toBe(200)
  expect([stored.headers.get(name), stored.headers.get('x-amz-checksum-type')]).toEqual([value, 'FULL_OBJECT'])
  const asks = { 'x-amz-checksum-mode': 'ENABLED' }
  const [whole, ranged, unasked] = await Promise.all(
    [asks, { ...asks, range: 'bytes=0-9' }, {}].map((headers) => send('GET', key, { headers })),
  )
  expect([whole?.headers.get(name), whole?.headers.get('x-amz-checksum-type')]).toEqual([value, 'FULL_OBJECT'])
  for (const { headers } of [ranged, unasked].flatMap((answer) => answer ?? [])) {
    expect([...headers.keys()].filter((header) => header.startsWith('x-amz-checksum'))).toEqual([])
    expect(headers.has('content-encoding')).toBe(false)
  }
  const head = await client.send(new HeadObjectCommand({ Bucket: 'sums', Key: key, ChecksumMode: 'ENABLED' }))
  expect(head).toMatchObject({ [`Checksum${algorithm.toUpperCase()}`]: value, ChecksumType: 'FULL_OBJECT' })
})

test.each(cases)('a wrong %s in a %s is refused, and nothing is stored', async (algorithm, where) => {
  const name = `x-amz-checksum-${algorithm}`
  const key = `wrong-${algorithm}-${where}`
  const wrong = Buffer.alloc(checksumLengths[algorithm], 7).toString('base64')
  expect(await put(key, name, wrong, where)).toMatchObject({ status: 400, code: 'BadDigest' })
  const short = Buffer.alloc(checksumLengths[algorithm] - 1).toString('base64')
  expect(await put(key, name, short, where)).toMatchObject({ status: 400, code: 'InvalidRequest' })
  expect(await put(key, name, 'not base64!', where)).toMatchObject({ status: 400, code: 'InvalidRequest' })
  expect((await send('GET', key)).status).toBe(404)
})

test.each(places)('an unknown algorithm in a %s is refused', async (where) => {
  expect(await put('unknown', 'x-amz-checksum-rot13', 'AAAA', where)).toMatchObject({ status: 400, code: 'InvalidRequest' })
})

test('an object without a checksum of its client gets a CRC64NVME, or none if so configured', async () => {
  const stored = await send('PUT', 'default', { body: bytes })
  expect(stored.headers.get('x-amz-checksum-crc64nvme')).toBe(await checksumOf('crc64nvme'))
  await using other = await startStoredServer({ settings: { default_checksum: 'none' } })
  await other.storage.buckets.create({ name: 'sums', ownerAccessKey: owner.accessKey })
  const plain = await other.send({ method: 'PUT', url: '/sums/default', user: owner, body: bytes })
  expect([...plain.headers.keys()].filter((name) => name.startsWith('x-amz-checksum'))).toEqual([])
})
