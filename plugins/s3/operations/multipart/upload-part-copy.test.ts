import { createHash } from 'node:crypto'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
  type UploadPartCopyCommandInput,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { largePart, multipartClient, type Place } from '../../testing/multipart-client.ts'
import { admin, owner, plain, startStoredServer } from '../../testing/test-server.ts'

const Bucket = 'copies'
const text = 'bytes of the source'
let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client
let uploads: ReturnType<typeof multipartClient>
let source: { readonly ETag?: string | undefined; readonly VersionId?: string | undefined }

beforeAll(async () => {
  server = await startStoredServer()
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  await server.storage.buckets.create({ name: 'foreign', ownerAccessKey: plain.accessKey })
  client = server.client()
  uploads = multipartClient(client, Bucket)
  source = await client.send(new PutObjectCommand({ Bucket, Key: 'source', Body: text, ChecksumAlgorithm: 'CRC32' }))
})

afterAll(async () => {
  client.destroy()
  await server.storage.expectSound()
  await server[Symbol.asyncDispose]()
})

const copy = (place: Place, PartNumber: number, more: Partial<UploadPartCopyCommandInput> = {}, sender = client) =>
  sender.send(new UploadPartCopyCommand({ ...place, PartNumber, CopySource: `${Bucket}/source`, ...more }))
const md5 = (bytes: string | Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`

test('whole sources and ranges of them become parts, also from another bucket', async () => {
  const other = server.client(admin)
  await other.send(new PutObjectCommand({ Bucket: 'foreign', Key: 'large', Body: largePart }))
  const place = await uploads.create('made', { ChecksumAlgorithm: 'SHA256' })
  const whole = await copy(place, 1, { CopySource: 'foreign/large' }, other)
  other.destroy()
  const range = await copy(place, 2, { CopySourceRange: 'bytes=9-18' })
  expect(whole.CopyPartResult).toMatchObject({ ETag: md5(largePart), LastModified: expect.any(Date) })
  expect(range).toMatchObject({ CopySourceVersionId: source.VersionId, CopyPartResult: { ETag: md5(text.slice(9, 19)) } })
  expect(range.CopyPartResult?.ChecksumSHA256).toBe(createHash('sha256').update(text.slice(9, 19)).digest('base64'))
  await uploads.complete(place, [
    { PartNumber: 1, ETag: whole.CopyPartResult?.ETag },
    { PartNumber: 2, ETag: range.CopyPartResult?.ETag },
  ])
  expect((await uploads.bytes('made')).equals(Buffer.concat([largePart, Buffer.from(text.slice(9, 19))]))).toBe(true)
})

test('a part has the checksum of the upload, whether its bytes are read or linked', async () => {
  for (const [algorithm, field] of [
    ['CRC32', 'ChecksumCRC32'],
    ['SHA1', 'ChecksumSHA1'],
  ] as const) {
    const place = await uploads.create(`sum ${algorithm}`, { ChecksumAlgorithm: algorithm })
    for (const [at, more] of [{}, { CopySourceRange: `bytes=0-${text.length - 1}` }, { CopySourceRange: 'bytes=0-3' }].entries()) {
      const { CopyPartResult } = await copy(place, at + 1, more)
      const sent = await uploads.put(place, 10, at < 2 ? text : text.slice(0, 4), { ChecksumAlgorithm: algorithm })
      expect(CopyPartResult?.[field]).toBe(sent[field])
      expect(CopyPartResult?.[field]).toBeDefined()
    }
  }
})

test('a composite checksum of the source is not that of the part', async () => {
  const made = await uploads.create('composite', { ChecksumAlgorithm: 'CRC32' })
  const [only] = [await uploads.put(made, 1, text, { ChecksumAlgorithm: 'CRC32' })]
  expect(await uploads.complete(made, [only])).toMatchObject({ ChecksumCRC32: expect.stringMatching(/-1$/) })
  const place = await uploads.create('of a composite', { ChecksumAlgorithm: 'CRC32' })
  const { CopyPartResult } = await copy(place, 1, { CopySource: `${Bucket}/composite` })
  expect(CopyPartResult?.ChecksumCRC32).toBe(only.ChecksumCRC32)
})

test('the version that the source names is copied', async () => {
  const first = await client.send(new PutObjectCommand({ Bucket, Key: 'versions', Body: 'first' }))
  await client.send(new PutObjectCommand({ Bucket, Key: 'versions', Body: 'second' }))
  const place = await uploads.create('of a version')
  const { CopySourceVersionId, CopyPartResult } = await copy(place, 1, { CopySource: `${Bucket}/versions?versionId=${first.VersionId}` })
  expect(CopySourceVersionId).toBe(first.VersionId)
  await uploads.complete(place, [{ PartNumber: 1, ETag: CopyPartResult?.ETag }])
  expect((await uploads.bytes('of a version')).toString()).toBe('first')
})

test('an object of parts is a source, and keeps its bytes when it is deleted', async () => {
  const made = await uploads.create('parts')
  await uploads.complete(made, [await uploads.put(made, 1, largePart), await uploads.put(made, 2, 'tail')])
  const place = await uploads.create('from parts')
  const { CopyPartResult } = await copy(place, 1, { CopySource: `${Bucket}/parts`, CopySourceRange: `bytes=5242870-${5242880 + 3}` })
  const { VersionId } = await client.send(new HeadObjectCommand({ Bucket, Key: 'parts' }))
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'parts', VersionId }))
  await uploads.complete(place, [{ PartNumber: 1, ETag: CopyPartResult?.ETag }])
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'from parts' }))
  expect(await Body?.transformToString()).toBe(`${largePart.subarray(5242870).toString()}tail`)
})

test.each([
  ['bytes=0-', 'InvalidArgument', 400],
  ['bytes=-5', 'InvalidArgument', 400],
  ['bytes=5-2', 'InvalidArgument', 400],
  ['bytes=0-1,3-4', 'InvalidArgument', 400],
  ['0-5', 'InvalidArgument', 400],
  ['bytes=0-x', 'InvalidArgument', 400],
  [`bytes=0-${text.length}`, 'InvalidRange', 416],
  ['bytes=100-200', 'InvalidRange', 416],
] as const)('the range %s is refused with %s', async (CopySourceRange, name, httpStatusCode) => {
  const place = await uploads.create('ranges')
  await expect(copy(place, 1, { CopySourceRange })).rejects.toMatchObject({ name, $metadata: { httpStatusCode } })
  expect((await uploads.parts(place)).Parts ?? []).toEqual([])
})

test('the source must fulfil its conditions', async () => {
  const place = await uploads.create('conditions')
  const { LastModified = new Date() } = await client.send(new HeadObjectCommand({ Bucket, Key: 'source' }))
  const earlier = new Date(LastModified.getTime() - 60_000)
  const refused: Partial<UploadPartCopyCommandInput>[] = [
    { CopySourceIfMatch: '"other"' },
    { CopySourceIfNoneMatch: source.ETag },
    { CopySourceIfUnmodifiedSince: earlier },
    { CopySourceIfModifiedSince: LastModified },
  ]
  for (const more of refused) {
    await expect(copy(place, 1, more)).rejects.toMatchObject({ name: 'PreconditionFailed', $metadata: { httpStatusCode: 412 } })
  }
  await copy(place, 1, { CopySourceIfMatch: source.ETag, CopySourceIfModifiedSince: earlier })
})

test('a source that does not exist, or that the caller may not read, is refused', async () => {
  const place = await uploads.create('refused')
  const refusals: [string, string, number][] = [
    ['absent-bucket/k', 'NoSuchBucket', 404],
    [`${Bucket}/absent`, 'NoSuchKey', 404],
    [`${Bucket}/source?versionId=01ARZ3NDEKTSV4RRFFQ69G5FAV`, 'NoSuchVersion', 404],
    ['nothing', 'InvalidArgument', 400],
    ['foreign/k', 'AccessDenied', 403],
  ]
  for (const [CopySource, name, httpStatusCode] of refusals) {
    await expect(copy(place, 1, { CopySource })).rejects.toMatchObject({ name, $metadata: { httpStatusCode } })
  }
  await expect(copy(place, 1, { CopySource: 'foreign/k' })).rejects.toMatchObject({
    message: expect.stringContaining('s3:GetObject on /foreign/k'),
  })
  await expect(copy(place, 1, { CopySource: 'foreign/k?versionId=01ARZ3NDEKTSV4RRFFQ69G5FAV' })).rejects.toMatchObject({
    message: expect.stringContaining('s3:GetObjectVersion on /foreign/k'),
  })
})
