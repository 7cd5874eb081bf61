import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSql } from '#kernel/testing'
import { admin, owner, plain, startTestServer } from '../testing/test-server.ts'

let server: Awaited<ReturnType<typeof startTestServer>>
let client: S3Client

beforeAll(async () => {
  server = await startTestServer()
  client = server.client()
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }))
})

afterAll(async () => {
  client.destroy()
  await server[Symbol.asyncDispose]()
})

const bytes = randomBytes(100_000)

function put(Key: string, Body: Buffer | Readable = bytes, more: Partial<PutObjectCommand['input']> = {}) {
  return client.send(new PutObjectCommand({ Bucket: 'photos', Key, Body, ...more }))
}

test('a GET returns the bytes, headers and metadata of the PUT', async () => {
  const Metadata = { name: 'plain value', other: '2' }
  const stored = await put('a/b c+é😀//..', bytes, {
    ContentType: 'image/png',
    CacheControl: 'no-store',
    ContentEncoding: 'gzip',
    Metadata,
  })
  expect(stored).toMatchObject({
    ETag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    ChecksumType: 'FULL_OBJECT',
    VersionId: expect.any(String),
  })
  expect(stored.ChecksumCRC32).toEqual(expect.any(String))
  const got = await client.send(new GetObjectCommand({ Bucket: 'photos', Key: 'a/b c+é😀//..', ChecksumMode: 'ENABLED' }))
  expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(bytes)
  expect(got).toMatchObject({
    ETag: stored.ETag,
    VersionId: stored.VersionId,
    ContentType: 'image/png',
    CacheControl: 'no-store',
    ContentEncoding: 'gzip',
    ContentLength: bytes.length,
    ChecksumCRC32: stored.ChecksumCRC32,
    Metadata,
  })
  await expect.poll(() => server.storage.openCount()).toBe(0)
})

test('a stream of known length is stored with its trailing checksum', async () => {
  const pieces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(7_000, index))
  await put('streamed', Readable.from(pieces), { ContentLength: 280_000, ChecksumAlgorithm: 'CRC32C' })
  const head = await client.send(new HeadObjectCommand({ Bucket: 'photos', Key: 'streamed', ChecksumMode: 'ENABLED' }))
  expect(head).toMatchObject({ ContentLength: 280_000, ChecksumCRC32C: expect.any(String) })
  expect(head.ContentEncoding).toBeUndefined()
})

test.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
  'a body is verified and stored with its %s',
  async (ChecksumAlgorithm) => {
    const stored = await put(`checked-${ChecksumAlgorithm}`, bytes, { ChecksumAlgorithm })
    expect(stored[`Checksum${ChecksumAlgorithm}`]).toEqual(expect.any(String))
  },
)

test('reads support ranges, parts and conditions', async () => {
  const { ETag } = await put('ranged')
  const get = (more: object) => client.send(new GetObjectCommand({ Bucket: 'photos', Key: 'ranged', ...more }))
  const part = await get({ Range: 'bytes=10-19' })
  expect(part).toMatchObject({ ContentRange: `bytes 10-19/${bytes.length}`, ContentLength: 10, $metadata: { httpStatusCode: 206 } })
  expect(Buffer.from((await part.Body?.transformToByteArray()) ?? [])).toEqual(bytes.subarray(10, 20))
  const suffix = await get({ Range: 'bytes=-5' })
  expect(Buffer.from((await suffix.Body?.transformToByteArray()) ?? [])).toEqual(bytes.subarray(-5))
  const whole = await get({ PartNumber: 1 })
  expect(whole.$metadata.httpStatusCode).toBe(206)
  await whole.Body?.transformToByteArray()
  await expect(get({ PartNumber: 2 })).rejects.toMatchObject({ name: 'InvalidPartNumber' })
  await expect(get({ Range: `bytes=${bytes.length}-` })).rejects.toMatchObject({ name: 'InvalidRange', $metadata: { httpStatusCode: 416 } })
  await expect(get({ IfNoneMatch: ETag })).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } })
  await expect(get({ IfMatch: '"other"' })).rejects.toMatchObject({ name: 'PreconditionFailed', Condition: 'If-Match' })
  await expect.poll(() => server.storage.openCount()).toBe(0)
})

test('If-Range continues a download only of the version that it names', async () => {
  const read = async (ifRange: string, range = 'bytes=10-19') => {
    const headers = { range, 'if-range': ifRange }
    const { status, body } = await server.send({ method: 'GET', url: '/photos/resumed', user: owner, headers })
    return [status, body.length]
  }
  const { ETag = '' } = await put('resumed')
  const created = async () =>
    (await client.send(new HeadObjectCommand({ Bucket: 'photos', Key: 'resumed' }))).LastModified?.toUTCString() ?? ''
  expect(await read(ETag)).toEqual([206, 10])
  expect(await read(await created())).toEqual([206, 10])
  const yesterday = new Date(Date.now() - 86_400_000).toUTCString()
  for (const other of [`W/${ETag}`, ETag.slice(1, -1), '"other"', '*', `${ETag}, "other"`, yesterday, 'now']) {
    expect.soft(await read(other), other).toEqual([200, bytes.length])
  }
  expect(await read('"other"', 'bytes=999999-')).toEqual([200, bytes.length])
  // Written again in the same second: the date names both.
  await put('resumed', Buffer.alloc(bytes.length, 'n'))
  await server.storage.database.write((tx) => runSql(tx, `update object_versions set created_at = 1700000000500 where key = 'resumed'`))
  expect(await read(ETag)).toEqual([200, bytes.length])
  expect(await created()).toBe(new Date(1_700_000_000_000).toUTCString())
  expect(await read(await created())).toEqual([200, bytes.length])
})

test('a signed read can override response headers', async () => {
  await put('overridden')
  const head = await client.send(
    new HeadObjectCommand({
      Bucket: 'photos',
      Key: 'overridden',
      ResponseContentType: 'text/x',
      ResponseContentDisposition: 'inline; filename="é"',
    }),
  )
  expect(head.ContentType).toBe('text/x')
})

test('a delete marker hides the object and its versions stay readable', async () => {
  const { VersionId } = await put('deleted')
  const marker = await client.send(new DeleteObjectCommand({ Bucket: 'photos', Key: 'deleted' }))
  expect(marker).toMatchObject({ DeleteMarker: true, VersionId: expect.any(String), $metadata: { httpStatusCode: 204 } })
  const get = (more: object) => client.send(new GetObjectCommand({ Bucket: 'photos', Key: 'deleted', ...more }))
  await expect(get({})).rejects.toMatchObject({ name: 'NoSuchKey', $response: { headers: { 'x-amz-delete-marker': 'true' } } })
  await expect(get({ VersionId: marker.VersionId })).rejects.toMatchObject({ name: 'MethodNotAllowed' })
  await expect(get({ VersionId: 'null' })).rejects.toMatchObject({ name: 'NoSuchVersion' })
  await expect(get({ VersionId: 'a b' })).rejects.toMatchObject({ name: 'InvalidArgument' })
  expect((await get({ VersionId })).ContentLength).toBe(bytes.length)
})

test('failed conditional writes change nothing', async () => {
  const { ETag } = await put('conditional')
  await expect(put('conditional', bytes, { IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' })
  await expect(put('conditional', bytes, { IfMatch: '"x"' })).rejects.toMatchObject({ name: 'PreconditionFailed' })
  await expect(put('absent', bytes, { IfMatch: '*' })).rejects.toMatchObject({ name: 'NoSuchKey' })
  await put('conditional', bytes, { IfMatch: ETag })
  expect(await server.storage.versionsOf('photos', 'conditional')).toHaveLength(2)
})

test('listings page through keys and common prefixes in byte order', async () => {
  await client.send(new CreateBucketCommand({ Bucket: 'listed' }))
  for (const Key of ['a', 'b/1', 'b/2', 'c/1', 'd & é', '\u{10000}', '\uffff']) {
    await client.send(new PutObjectCommand({ Bucket: 'listed', Key, Body: bytes.subarray(0, 200) }))
  }
  const seen: string[] = []
  for (let ContinuationToken: string | undefined, pages = 0; pages < 10; pages += 1) {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: 'listed',
        Delimiter: '/',
        MaxKeys: 2,
        EncodingType: 'url',
        ...(ContinuationToken && { ContinuationToken }),
      }),
    )
    expect(page.KeyCount).toBeLessThanOrEqual(2)
    seen.push(
      ...[...(page.Contents ?? []).map(({ Key }) => Key), ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix)].map(String).sort(),
    )
    ContinuationToken = page.NextContinuationToken
    if (!page.IsTruncated) break
  }
  expect(seen.map(decodeURIComponent)).toEqual(['a', 'b/', 'c/', 'd & é', '\uffff', '\u{10000}'])
  const first = await client.send(new ListObjectsCommand({ Bucket: 'listed', Delimiter: '/', MaxKeys: 2 }))
  expect(first).toMatchObject({ IsTruncated: true, NextMarker: 'b/', Contents: [{ Key: 'a', Owner: { ID: owner.ownerId } }] })
  const rest = await client.send(new ListObjectsCommand({ Bucket: 'listed', Delimiter: '/', Marker: 'b/' }))
  expect(rest.Contents?.map(({ Key }) => Key)).toEqual(['d & é', '\uffff', '\u{10000}'])
  const owned = await client.send(new ListObjectsV2Command({ Bucket: 'listed', StartAfter: 'b/1', Prefix: 'b', FetchOwner: true }))
  expect(owned.Contents).toMatchObject([{ Key: 'b/2', Size: 200, Owner: { ID: owner.ownerId }, StorageClass: 'STANDARD' }])
  const none = await client.send(new ListObjectsV2Command({ Bucket: 'listed', MaxKeys: 0 }))
  expect(none).toMatchObject({ KeyCount: 0, IsTruncated: false })
})

test('buckets are created, found, located, versioned and listed', async () => {
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }))
  expect((await client.send(new HeadBucketCommand({ Bucket: 'photos' }))).BucketRegion).toBe('us-east-1')
  expect((await client.send(new GetBucketLocationCommand({ Bucket: 'photos' }))).LocationConstraint).toBeUndefined()
  expect((await client.send(new GetBucketVersioningCommand({ Bucket: 'photos' }))).Status).toBe('Enabled')
  expect((await client.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)).toContain('photos')
  const page = await client.send(new ListBucketsCommand({ MaxBuckets: 1, Prefix: 'p' }))
  expect(page.Buckets).toMatchObject([{ Name: 'photos', BucketRegion: 'us-east-1' }])
})

test('a user creates no buckets and accesses only its own, an admin accesses all', async () => {
  const plainClient = server.client(plain)
  const adminClient = server.client(admin)
  await expect(plainClient.send(new CreateBucketCommand({ Bucket: 'mine' }))).rejects.toMatchObject({ name: 'AccessDenied' })
  await expect(plainClient.send(new ListObjectsV2Command({ Bucket: 'photos' }))).rejects.toMatchObject({ name: 'AccessDenied' })
  expect((await plainClient.send(new ListBucketsCommand({}))).Buckets).toEqual([])
  expect((await adminClient.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)).toContain('photos')
  await expect(adminClient.send(new CreateBucketCommand({ Bucket: 'photos' }))).rejects.toMatchObject({ name: 'BucketAlreadyExists' })
  await adminClient.send(new ListObjectsV2Command({ Bucket: 'photos' }))
  await expect(client.send(new CreateBucketCommand({ Bucket: 'Bad..name' }))).rejects.toMatchObject({ name: 'InvalidBucketName' })
  await expect(client.send(new ListObjectsV2Command({ Bucket: 'no-such-bucket' }))).rejects.toMatchObject({ name: 'NoSuchBucket' })
  plainClient.destroy()
  adminClient.destroy()
})

test('presigned URLs support PUT and GET', async () => {
  const putUrl = await getSignedUrl(client, new PutObjectCommand({ Bucket: 'photos', Key: 'presigned' }), { expiresIn: 60 })
  expect((await fetch(putUrl, { method: 'PUT', body: bytes })).status).toBe(200)
  const getUrl = await getSignedUrl(client, new GetObjectCommand({ Bucket: 'photos', Key: 'presigned' }), { expiresIn: 60 })
  const got = await fetch(getUrl)
  expect(Buffer.from(await got.arrayBuffer())).toEqual(bytes)
  expect((await fetch(getUrl.replace('presigned', 'other'))).status).toBe(403)
})

test('the host can name the bucket', async () => {
  await using hosted = await startTestServer({ settings: { virtual_host_domains: ['localhost'] } })
  await hosted.storage.buckets.create({ name: 'byhost', ownerAccessKey: owner.accessKey })
  const answer = await hosted.send({ method: 'GET', url: '/?location', headers: { host: `byhost.localhost:${hosted.port}` }, user: owner })
  expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('LocationConstraint') })
})
