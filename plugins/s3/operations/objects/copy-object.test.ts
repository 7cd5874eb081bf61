import { hash } from 'node:crypto'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { stageUploads } from '../../../storage/testing/staged-uploads.ts'
import { signedRequest } from '../../testing/signed-request.ts'
import { admin, owner, plain, startStoredServer } from '../../testing/test-server.ts'

let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client

beforeAll(async () => {
  server = await startStoredServer()
  client = server.client()
})

afterAll(async () => {
  client.destroy()
  await server.storage.expectSound()
  await server[Symbol.asyncDispose]()
})

const put = (Bucket: string, Key: string, more: Partial<PutObjectCommandInput> = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body: `bytes of ${Key}`, ...more }))
const copy = (Bucket: string, Key: string, CopySource: string, more: Partial<CopyObjectCommandInput> = {}) =>
  client.send(new CopyObjectCommand({ Bucket, Key, CopySource, ...more }))
const head = (Bucket: string, Key: string) => client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }))
const text = async (Bucket: string, Key: string) =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString() ?? 'no body'

test('a copy has the bytes, headers, metadata and checksum of its source, within a bucket and in another one', async () => {
  const [from, to] = [await server.newBucket(), await server.newBucket()]
  const headers = { ContentType: 'text/x', CacheControl: 'no-store', Metadata: { colour: 'blue' }, ContentLanguage: 'de' }
  const { ETag, VersionId } = await put(from, 'a/ü +&', { ...headers, ChecksumAlgorithm: 'SHA256' })
  const source = encodeURIComponent(`${from}/a/ü +&`)
  for (const [bucket, key] of [
    [from, 'again'],
    [to, 'there'],
  ] as const) {
    const answer = await copy(bucket, key, source)
    expect(answer).toMatchObject({
      CopySourceVersionId: VersionId,
      VersionId: expect.any(String),
      CopyObjectResult: {
        ETag,
        LastModified: expect.any(Date),
        ChecksumSHA256: hash('sha256', 'bytes of a/ü +&', 'base64'),
        ChecksumType: 'FULL_OBJECT',
      },
    })
    expect(await text(bucket, key)).toBe('bytes of a/ü +&')
    const { ChecksumSHA256, ...found } = await head(bucket, key)
    expect(found).toMatchObject({ ...headers, ETag, VersionId: answer.VersionId })
    expect(ChecksumSHA256).toBe(hash('sha256', 'bytes of a/ü +&', 'base64'))
  }
})

test('REPLACE takes the headers of the request instead, and a website redirect is not copied', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'k', { ContentType: 'text/x', Metadata: { a: '1' }, CacheControl: 'no-store', WebsiteRedirectLocation: '/old' })
  await copy(bucket, 'copied', `${bucket}/k`, { ContentType: 'ignored/x', Metadata: { ignored: 'x' } })
  const copied = await head(bucket, 'copied')
  expect(copied).toMatchObject({ ContentType: 'text/x', Metadata: { a: '1' }, CacheControl: 'no-store' })
  expect(copied.WebsiteRedirectLocation).toBeUndefined()
  await copy(bucket, 'set', `${bucket}/k`, { WebsiteRedirectLocation: '/new' })
  expect(await head(bucket, 'set')).toMatchObject({ WebsiteRedirectLocation: '/new', ContentType: 'text/x' })
  await copy(bucket, 'replaced', `${bucket}/k`, { MetadataDirective: 'REPLACE', Metadata: { b: '2' } })
  const replaced = await head(bucket, 'replaced')
  expect(replaced).toMatchObject({ ContentType: 'binary/octet-stream', Metadata: { b: '2' } })
  expect(replaced.CacheControl).toBeUndefined()
})

test('an object is copied onto itself only with a change, or from a named version', async () => {
  const bucket = await server.newBucket()
  const first = await put(bucket, 'k')
  await expect(copy(bucket, 'k', `${bucket}/k`)).rejects.toMatchObject({ name: 'InvalidRequest', $metadata: { httpStatusCode: 400 } })
  const change: Partial<CopyObjectCommandInput>[] = [
    { MetadataDirective: 'REPLACE', Metadata: { a: '1' } },
    { StorageClass: 'STANDARD' },
    { WebsiteRedirectLocation: '/x' },
    { ChecksumAlgorithm: 'SHA1' },
  ]
  for (const more of change) expect((await copy(bucket, 'k', `${bucket}/k`, more)).VersionId).toBeDefined()
  await put(bucket, 'k', { Body: 'newer' })
  await copy(bucket, 'k', `${bucket}/k?versionId=${first.VersionId}`)
  expect(await text(bucket, 'k')).toBe('bytes of k')
})

test('a requested checksum algorithm is calculated over the bytes; another one is refused', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'k', { ChecksumAlgorithm: 'CRC32' })
  const { CopyObjectResult } = await copy(bucket, 'sha1', `${bucket}/k`, { ChecksumAlgorithm: 'SHA1' })
  expect(CopyObjectResult).toMatchObject({ ChecksumSHA1: hash('sha1', 'bytes of k', 'base64'), ChecksumType: 'FULL_OBJECT' })
  expect(CopyObjectResult?.ChecksumCRC32).toBeUndefined()
  expect((await head(bucket, 'sha1')).ChecksumSHA1).toBe(hash('sha1', 'bytes of k', 'base64'))
  const unknown = { ChecksumAlgorithm: 'ROT13' as 'SHA1' }
  await expect(copy(bucket, 'x', `${bucket}/k`, unknown)).rejects.toMatchObject({ name: 'InvalidRequest' })
})

test('a copy of an object made of parts keeps its ETag; a requested checksum is that of the whole', async () => {
  const bucket = await server.newBucket()
  const made = await stageUploads(server.storage.uploads).object('parts', ['first ', 'second'], bucket)
  expect((await copy(bucket, 'k', `${bucket}/parts`)).CopyObjectResult?.ETag).toBe(`"${made.etag}"`)
  const { CopyObjectResult } = await copy(bucket, 'sum', `${bucket}/parts`, { ChecksumAlgorithm: 'SHA256' })
  expect(CopyObjectResult?.ChecksumSHA256).toBe(hash('sha256', 'first second', 'base64'))
  expect(await text(bucket, 'sum')).toBe('first second')
})

test('a CRC of a copy is combined from those of the parts of its source, without reading the bytes', async () => {
  const bucket = await server.newBucket()
  const staged = stageUploads(server.storage.uploads)
  const upload = await staged.create('crcs', { bucket })
  const crcOf = (part: string) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(crc32(part))
    return bytes.toString('base64')
  }
  const parts = []
  for (const [at, part] of ['first ', 'second'].entries()) {
    parts.push(await staged.put(upload, at + 1, part, { bucket, verify: () => ({ crc32: crcOf(part) }) }))
  }
  await staged.complete(upload, parts, { bucket, verify: () => ({ crc32: `${crcOf('of both')}-2` }) })
  const opened = vi.spyOn(server.storage.objects, 'open')
  try {
    const { CopyObjectResult } = await copy(bucket, 'k', `${bucket}/crcs`, { ChecksumAlgorithm: 'CRC32' })
    expect(CopyObjectResult).toMatchObject({ ChecksumCRC32: crcOf('first second'), ChecksumType: 'FULL_OBJECT' })
    expect(opened).not.toHaveBeenCalled()
  } finally {
    opened.mockRestore()
  }
})

test('the source must fulfil its conditions', async () => {
  const bucket = await server.newBucket()
  const { ETag } = await put(bucket, 'k')
  const modified = (await head(bucket, 'k')).LastModified ?? new Date()
  const [before, after] = [new Date(modified.getTime() - 60_000), new Date(modified.getTime() + 1000)]
  const refused: Partial<CopyObjectCommandInput>[] = [
    { CopySourceIfMatch: '"other"' },
    { CopySourceIfNoneMatch: ETag },
    { CopySourceIfUnmodifiedSince: before },
    { CopySourceIfModifiedSince: modified },
  ]
  for (const more of refused) {
    await expect(copy(bucket, 'x', `${bucket}/k`, more)).rejects.toMatchObject({
      name: 'PreconditionFailed',
      $metadata: { httpStatusCode: 412 },
      Condition: expect.stringMatching(/^x-amz-copy-source-If-/),
    })
  }
  await expect(head(bucket, 'x')).rejects.toMatchObject({ name: 'NotFound' })
  const held: Partial<CopyObjectCommandInput>[] = [
    { CopySourceIfMatch: ETag, CopySourceIfUnmodifiedSince: before },
    { CopySourceIfNoneMatch: '"other"', CopySourceIfModifiedSince: modified },
    { CopySourceIfUnmodifiedSince: after },
    { CopySourceIfModifiedSince: before },
  ]
  for (const more of held) expect((await copy(bucket, 'x', `${bucket}/k`, more)).VersionId).toBeDefined()
})

test('the target must fulfil the write conditions', async () => {
  const bucket = await server.newBucket()
  const { ETag } = await put(bucket, 'k')
  await put(bucket, 'other')
  const source = `${bucket}/other`
  await expect(copy(bucket, 'k', source, { IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' })
  await expect(copy(bucket, 'k', source, { IfMatch: '"wrong"' })).rejects.toMatchObject({ name: 'PreconditionFailed' })
  await expect(copy(bucket, 'absent', source, { IfMatch: '*' })).rejects.toMatchObject({ name: 'NoSuchKey' })
  await copy(bucket, 'new', source, { IfNoneMatch: '*' })
  await copy(bucket, 'k', source, { IfMatch: ETag })
  expect(await text(bucket, 'k')).toBe('bytes of other')
})

test('a copy whose target is written between the first check and the commit fails its condition', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'k')
  const { objects } = server.storage
  const original = objects.copy
  const copied = vi.spyOn(objects, 'copy').mockImplementationOnce(async (request) => {
    await put(bucket, 'new')
    return original(request)
  })
  try {
    await expect(copy(bucket, 'new', `${bucket}/k`, { IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' })
  } finally {
    copied.mockRestore()
  }
  expect(await text(bucket, 'new')).toBe('bytes of new')
})

test('the caller needs the permission to read the source and to write the target', async () => {
  const [own, foreign] = [await server.newBucket(), await server.newBucket(plain.accessKey)]
  await put(own, 'k')
  await expect(copy(foreign, 'k', `${own}/k`)).rejects.toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } })
  await expect(copy(own, 'x', `${foreign}/k`)).rejects.toMatchObject({
    name: 'AccessDenied',
    message: expect.stringContaining(`s3:GetObject on /${foreign}/k`),
  })
  await expect(copy(own, 'x', `${foreign}/k?versionId=01ARZ3NDEKTSV4RRFFQ69G5FAV`)).rejects.toMatchObject({
    message: expect.stringContaining('s3:GetObjectVersion'),
  })
  // A wrong guess of the owner gets the same refusal.
  await expect(copy(own, 'x', `${foreign}/k`, { ExpectedSourceBucketOwner: 'wrong' })).rejects.toMatchObject({
    message: expect.stringContaining(`s3:GetObject on /${foreign}/k`),
  })
  const powerful = server.client(admin)
  await powerful.send(new CopyObjectCommand({ Bucket: foreign, Key: 'k', CopySource: `${own}/k` }))
  powerful.destroy()
  const expected = { ExpectedSourceBucketOwner: plain.accessKey }
  await expect(copy(own, 'x', `${own}/k`, expected)).rejects.toMatchObject({ name: 'AccessDenied' })
  await copy(own, 'x', `${own}/k`, { ExpectedSourceBucketOwner: owner.accessKey, ExpectedBucketOwner: owner.accessKey })
})

test('a source that does not exist, is is deleted or is not a valid name is refused', async () => {
  const bucket = await server.newBucket()
  const { VersionId } = await put(bucket, 'gone')
  const marker = (await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'gone' }))).VersionId
  await copy(bucket, 'x', `${bucket}/gone?versionId=${VersionId}`)
  const refusals: [string, string, number][] = [
    ['absent-bucket/k', 'NoSuchBucket', 404],
    [`${bucket}/absent`, 'NoSuchKey', 404],
    [`${bucket}/gone`, 'NoSuchKey', 404],
    [`${bucket}/gone?versionId=01ARZ3NDEKTSV4RRFFQ69G5FAV`, 'NoSuchVersion', 404],
    [`${bucket}/gone?versionId=${marker}`, 'InvalidRequest', 400],
    ['nothing', 'InvalidArgument', 400],
    [`${bucket}/k%4`, 'InvalidArgument', 400],
  ]
  for (const [source, name, httpStatusCode] of refusals) {
    await expect(copy(bucket, 'x', source)).rejects.toMatchObject({ name, $metadata: { httpStatusCode } })
  }
  const bad = { MetadataDirective: 'MOVE' as 'COPY' }
  await expect(copy(bucket, 'y', `${bucket}/x`, bad)).rejects.toMatchObject({ name: 'InvalidArgument' })
  await expect(copy(bucket, 'y', `${bucket}/x`, { TaggingDirective: 'x' as 'COPY' })).rejects.toMatchObject({ name: 'InvalidArgument' })
  await expect(copy(bucket, 'y', `${bucket}/x`, { StorageClass: 'GLACIER' })).rejects.toMatchObject({ name: 'InvalidStorageClass' })
})

test('the bytes that only a new checksum needs are no longer read when the client is gone', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'source')
  const { objects } = server.storage
  const original = objects.open
  const [reading, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  objects.open = async (...place) => ({
    ...(await original(...place)),
    async *read() {
      for (;;) {
        reading.resolve()
        await setImmediate()
        yield new Uint8Array(1)
      }
    },
    async [Symbol.asyncDispose]() {
      closed.resolve()
    },
  })
  try {
    const headers = { 'x-amz-copy-source': `${bucket}/source`, 'x-amz-checksum-algorithm': 'SHA256' }
    const { head: request } = signedRequest(server.port, { method: 'PUT', url: `/${bucket}/target`, headers, user: owner })
    const socket = connect(server.port, '127.0.0.1')
    socket.write(request)
    await reading.promise
    socket.resetAndDestroy()
    await closed.promise
  } finally {
    objects.open = original
  }
  await expect(head(bucket, 'target')).rejects.toThrow()
})

test('a copy that was answered aborts nothing', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'k')
  const aborts = vi.spyOn(AbortController.prototype, 'abort')
  await copy(bucket, 'copied', `${bucket}/k`)
  // The response closes after its last byte.
  await setImmediate()
  const reasons = aborts.mock.calls.map(([reason]) => String(reason))
  aborts.mockRestore()
  expect(reasons.filter((reason) => reason.includes('the connection was closed'))).toEqual([])
})
