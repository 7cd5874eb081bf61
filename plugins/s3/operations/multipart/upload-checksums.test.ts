import { createHash } from 'node:crypto'
import type {
  ChecksumType,
  CompletedPart,
  CompleteMultipartUploadCommandInput,
  ChecksumAlgorithm as SdkAlgorithm,
} from '@aws-sdk/client-s3'
import { HeadObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChecksumAlgorithm, startChecksum } from '#plugins/storage'
import { largePart, multipartClient } from '../../testing/multipart-client.ts'
import { owner, startStoredServer } from '../../testing/test-server.ts'

const Bucket = 'checksums'
const texts = [largePart, Buffer.from('the end')] as const
let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client
let uploads: ReturnType<typeof multipartClient>

beforeAll(async () => {
  server = await startStoredServer()
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  // Sends no checksums of its own.
  client = server.client(owner, { requestChecksumCalculation: 'WHEN_REQUIRED' })
  uploads = multipartClient(client, Bucket)
})

afterAll(async () => {
  client.destroy()
  await server[Symbol.asyncDispose]()
})

async function sumOf(algorithm: ChecksumAlgorithm, pieces: readonly Buffer[]): Promise<Buffer> {
  const running = await startChecksum(algorithm)
  for (const piece of pieces) running.update(piece)
  return running.digest()
}

const base64Of = async (algorithm: ChecksumAlgorithm, bytes: Buffer) => (await sumOf(algorithm, [bytes])).toString('base64')

async function compositeOf(algorithm: ChecksumAlgorithm): Promise<string> {
  const digests = await Promise.all(texts.map((text) => sumOf(algorithm, [text])))
  return `${(await sumOf(algorithm, digests)).toString('base64')}-${texts.length}`
}

const fullOf = async (algorithm: ChecksumAlgorithm) => (await sumOf(algorithm, texts)).toString('base64')
const head = (Key: string, PartNumber?: number) =>
  client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED', ...(PartNumber && { PartNumber }) }))

const pairs: [SdkAlgorithm, ChecksumType][] = [
  ['CRC32', 'COMPOSITE'],
  ['CRC32', 'FULL_OBJECT'],
  ['CRC32C', 'COMPOSITE'],
  ['CRC32C', 'FULL_OBJECT'],
  ['CRC64NVME', 'FULL_OBJECT'],
  ['SHA1', 'COMPOSITE'],
  ['SHA256', 'COMPOSITE'],
  ['SHA512', 'COMPOSITE'],
  ['MD5', 'COMPOSITE'],
  ['XXHASH64', 'COMPOSITE'],
  ['XXHASH3', 'COMPOSITE'],
  ['XXHASH128', 'COMPOSITE'],
]

test.each(pairs)('an upload with %s has a checksum of type %s, with and without those of the client', async (algorithm, type) => {
  const name = algorithm.toLowerCase() as ChecksumAlgorithm
  const field = `Checksum${algorithm as 'CRC32'}` as const
  const Key = `${algorithm} ${type}`
  const place = await uploads.create(Key, { ChecksumAlgorithm: algorithm, ChecksumType: type })
  // The second part is sent without a checksum.
  const parts = [await uploads.put(place, 1, texts[0], { [field]: await base64Of(name, texts[0]) }), await uploads.put(place, 2, texts[1])]
  for (const [at, part] of parts.entries()) {
    expect(part[field]).toBe((await sumOf(name, texts.slice(at, at + 1))).toString('base64'))
  }
  const expected = type === 'COMPOSITE' ? await compositeOf(name) : await fullOf(name)
  const wrong = `${Buffer.alloc(Buffer.from(expected, 'base64').length).toString('base64')}`
  const complete = (more: Partial<CompleteMultipartUploadCommandInput>) => uploads.complete(place, parts, more)
  const badValue = complete({ [field]: type === 'COMPOSITE' ? `${(await sumOf(name, [])).toString('base64')}-2` : wrong })
  await expect(badValue).rejects.toMatchObject({ name: 'BadDigest', $metadata: { httpStatusCode: 400 } })
  const otherType = type === 'COMPOSITE' ? 'FULL_OBJECT' : 'COMPOSITE'
  await expect(complete({ ChecksumType: otherType })).rejects.toMatchObject({ name: 'InvalidRequest' })
  const made = await complete({ [field]: expected, ChecksumType: type })
  expect(made).toMatchObject({ [field]: expected, ChecksumType: type })
  expect(await head(Key)).toMatchObject({ [field]: expected, ChecksumType: type })
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: Key }))
  expect(Contents).toMatchObject([{ Key, ChecksumAlgorithm: [algorithm], ChecksumType: type }])
  const ofPart = await head(Key, 1)
  expect(ofPart.ChecksumType).toBe(type)
  expect((await head(Key, 2))[field]).toBe(parts[1]?.[field])
})

test('a composite checksum may be sent without the number of parts', async () => {
  const place = await uploads.create('short', { ChecksumAlgorithm: 'SHA256' })
  const part = await uploads.put(place, 1, 'bytes')
  const digest = createHash('sha256').update(createHash('sha256').update('bytes').digest()).digest('base64')
  expect(await uploads.complete(place, [part], { ChecksumSHA256: digest })).toMatchObject({ ChecksumSHA256: `${digest}-1` })
})

test('without a requested algorithm the object has the checksum of the settings', async () => {
  const place = await uploads.create('default')
  const parts: CompletedPart[] = [await uploads.put(place, 1, texts[0]), await uploads.put(place, 2, texts[1])]
  const made = await uploads.complete(place, parts, { ChecksumCRC64NVME: await fullOf('crc64nvme') })
  expect(made).toMatchObject({ ChecksumCRC64NVME: await fullOf('crc64nvme'), ChecksumType: 'FULL_OBJECT' })
})

test('without a requested algorithm, parts with different checksums give none of the object', async () => {
  const place = await uploads.create('mixed')
  const parts = [
    await uploads.put(place, 1, texts[0], { ChecksumAlgorithm: 'SHA1' }),
    await uploads.put(place, 2, texts[1], { ChecksumAlgorithm: 'CRC32' }),
  ]
  await expect(uploads.complete(place, parts, { ChecksumCRC32: 'AAAAAA==' })).rejects.toMatchObject({ name: 'InvalidRequest' })
  expect((await uploads.complete(place, parts)).ChecksumType).toBeUndefined()
})

test.each([
  ['a type without an algorithm', { 'x-amz-checksum-type': 'COMPOSITE' }],
  ['CRC64NVME of type COMPOSITE', { 'x-amz-checksum-algorithm': 'CRC64NVME', 'x-amz-checksum-type': 'COMPOSITE' }],
  ['SHA256 of type FULL_OBJECT', { 'x-amz-checksum-algorithm': 'SHA256', 'x-amz-checksum-type': 'FULL_OBJECT' }],
  ['an unknown type', { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'HALF' }],
  ['an unknown algorithm', { 'x-amz-checksum-algorithm': 'ROT13' }],
])('an upload with %s is not created', async (_, headers) => {
  const answer = await server.send({ method: 'POST', url: `/${Bucket}/k?uploads`, user: owner, headers })
  expect(answer).toMatchObject({ status: 400, code: 'InvalidRequest' })
})

test('the algorithm and type are answered at the creation when they were requested', async () => {
  const create = (headers: Record<string, string>) => server.send({ method: 'POST', url: `/${Bucket}/k?uploads`, user: owner, headers })
  const { headers } = await create({ 'x-amz-checksum-algorithm': 'CRC32C' })
  expect([headers.get('x-amz-checksum-algorithm'), headers.get('x-amz-checksum-type')]).toEqual(['CRC32C', 'COMPOSITE'])
  expect((await create({})).headers.has('x-amz-checksum-type')).toBe(false)
})

test('a part with another algorithm than its upload is refused before its body', async () => {
  const { UploadId } = await uploads.create('other', { ChecksumAlgorithm: 'SHA256' })
  const answer = await server.send({
    method: 'PUT',
    url: `/${Bucket}/other?partNumber=1&uploadId=${UploadId}`,
    user: owner,
    payload: 'UNSIGNED-PAYLOAD',
    headers: { 'x-amz-checksum-crc32': 'AAAAAA==' },
    unsignedHeaders: { expect: '100-continue', 'content-length': '100' },
  })
  expect(answer).toMatchObject({ wasContinued: false, status: 400, code: 'InvalidRequest' })
})

test('a completion with a malformed or an unknown checksum is refused', async () => {
  const place = await uploads.create('malformed', { ChecksumAlgorithm: 'CRC32' })
  const part = await uploads.put(place, 1, 'bytes')
  for (const more of [{ ChecksumCRC32: 'short' }, { ChecksumSHA256: (await sumOf('sha256', [])).toString('base64') }]) {
    await expect(uploads.complete(place, [part], more)).rejects.toMatchObject({ name: 'InvalidRequest' })
  }
  const headers = { 'x-amz-mp-object-size': 'large' }
  const url = `/${Bucket}/malformed?uploadId=${place.UploadId}`
  expect(await server.send({ method: 'POST', url, user: owner, headers })).toMatchObject({ status: 400, code: 'InvalidRequest' })
})
