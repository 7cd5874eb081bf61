import { hash } from 'node:crypto'
import {
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  type GetObjectAttributesCommandInput,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { assert, asyncProperty, integer, uniqueArray } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stageUploads } from '../../../storage/testing/staged-uploads.ts'
import { admin, noStoredSettings, owner, plain, startStoredServer } from '../../testing/test-server.ts'
import { readHeaders } from '../../wire/headers.ts'
import { S3Error } from '../../wire/s3-error.ts'
import type { ObjectRequest, Operation } from '../operation.ts'
import { getObjectAttributes } from './get-object-attributes.ts'

const Bucket = 'parts'
const sha256 = (text: string) => hash('sha256', text, 'base64')
const composite = `${sha256('three')}-3`
let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client

beforeAll(async () => {
  server = await startStoredServer()
  await server.storage.buckets.create({ name: Bucket, ownerAccessKey: owner.accessKey })
  client = server.client()
})

afterAll(async () => {
  client.destroy()
  await server.storage.expectSound()
  await server[Symbol.asyncDispose]()
})

/** An object of parts with a SHA-256 each, whose numbers have gaps. */
async function putParts(Key: string, texts: readonly string[]) {
  const staged = stageUploads(server.storage.uploads)
  const upload = await staged.create(Key, { bucket: Bucket })
  const parts = []
  for (const [at, text] of texts.entries()) {
    parts.push(await staged.put(upload, at * 7 + 1, text, { bucket: Bucket, verify: () => ({ sha256: sha256(text) }) }))
  }
  return staged.complete(upload, parts, { bucket: Bucket, verify: () => ({ sha256: composite }) })
}

const get = async (Key: string, PartNumber: number) => {
  const answer = await client.send(new GetObjectCommand({ Bucket, Key, PartNumber, ChecksumMode: 'ENABLED' }))
  return { ...answer, text: await answer.Body?.transformToString() }
}
const head = (Key: string, PartNumber: number) => client.send(new HeadObjectCommand({ Bucket, Key, PartNumber, ChecksumMode: 'ENABLED' }))

test('a part of an object is read with its range, checksum and the number of parts', async () => {
  const version = await putParts('k', ['first', 'second', 'x'])
  for (const [at, text, range] of [
    [1, 'first', '0-4'],
    [2, 'second', '5-10'],
    [3, 'x', '11-11'],
  ] as const) {
    const found = {
      ContentRange: `bytes ${range}/12`,
      ContentLength: text.length,
      PartsCount: 3,
      ETag: `"${version.etag}"`,
      ChecksumSHA256: sha256(text),
      $metadata: { httpStatusCode: 206 },
    }
    expect(await get('k', at)).toMatchObject({ ...found, text })
    expect(await head('k', at)).toMatchObject(found)
  }
  const whole = await client.send(new HeadObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }))
  expect(whole).toMatchObject({ ContentLength: 12, ChecksumSHA256: composite, ChecksumType: 'COMPOSITE' })
  expect(whole.PartsCount).toBeUndefined()
})

test.each([
  ['the last of three', ['first', 'second', '']],
  ['the only one', ['']],
])('a part without bytes has no range and no body, the same for GET and HEAD: %s', async (what, texts) => {
  await putParts(what, texts)
  const count = texts.length
  const url = `/${Bucket}/${encodeURIComponent(what)}?partNumber=${count}`
  const send = (method: string) => server.send({ method, url, user: owner, headers: { 'x-amz-checksum-mode': 'ENABLED' } })
  const [got, headed] = [await send('GET'), await send('HEAD')]
  for (const { status, headers, body } of [got, headed]) {
    expect({ status, body }).toEqual({ status: 200, body: '' })
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': '0',
      'x-amz-mp-parts-count': String(count),
      'x-amz-checksum-sha256': sha256(''),
      'x-amz-checksum-type': 'COMPOSITE',
    })
    expect(headers.has('content-range')).toBe(false)
  }
  const ids = ['x-amz-request-id', 'date']
  const named = ({ headers }: typeof got) => [...headers].filter(([name]) => !ids.includes(name)).toSorted()
  expect(named(headed)).toEqual(named(got))
  expect(server.storage.openCount()).toBe(0)
})

test('the parts of any object together are its bytes', async () => {
  let run = 0
  await assert(
    asyncProperty(uniqueArray(integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 6 }), async (sizes) => {
      run += 1
      const texts = sizes.map((size, at) => String(at).repeat(size))
      await putParts(`any-${run}`, texts)
      const read = []
      for (const at of sizes.keys()) read.push((await get(`any-${run}`, at + 1)).text)
      expect(read).toEqual(texts)
    }),
    { numRuns: 8 },
  )
})

test('an object that was not made of parts is its first part', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'single', Body: 'bytes', ChecksumAlgorithm: 'SHA1' }))
  const part = await get('single', 1)
  expect(part).toMatchObject({ text: 'bytes', ContentRange: 'bytes 0-4/5', $metadata: { httpStatusCode: 206 } })
  expect(part.ChecksumSHA1).toBe(hash('sha1', 'bytes', 'base64'))
  expect(part.PartsCount).toBeUndefined()
  expect(await head('single', 1)).toMatchObject({ ContentRange: 'bytes 0-4/5', ContentLength: 5, $metadata: { httpStatusCode: 206 } })
  await expect(get('single', 2)).rejects.toMatchObject({ name: 'InvalidPartNumber', ActualPartCount: '1', PartNumberRequested: '2' })
})

test('a part that does not exist, or one together with a range, is refused', async () => {
  await putParts('refused', ['a', 'b'])
  await expect(get('refused', 3)).rejects.toMatchObject({
    name: 'InvalidPartNumber',
    $metadata: { httpStatusCode: 416 },
    ActualPartCount: '2',
  })
  await expect(head('refused', 3)).rejects.toMatchObject({ $metadata: { httpStatusCode: 416 } })
  for (const number of [0, -1, 10_001]) await expect(get('refused', number)).rejects.toMatchObject({ name: 'InvalidArgument' })
  const both = new GetObjectCommand({ Bucket, Key: 'refused', PartNumber: 1, Range: 'bytes=0-0' })
  await expect(client.send(both)).rejects.toMatchObject({ name: 'InvalidRequest' })
})

test('a part is not sent when the object is unmodified', async () => {
  const version = await putParts('unmodified', ['a', 'b'])
  const command = new GetObjectCommand({ Bucket, Key: 'unmodified', PartNumber: 2, IfNoneMatch: `"${version.etag}"` })
  await expect(client.send(command)).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } })
})

const all = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const
const attributes = (Key: string, more: Partial<GetObjectAttributesCommandInput> = {}, caller = client) =>
  caller.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: [...all], ...more }))

test('the attributes of an object are those that were asked for', async () => {
  const { ETag, VersionId } = await client.send(new PutObjectCommand({ Bucket, Key: 'facts', Body: 'bytes', ChecksumAlgorithm: 'CRC32C' }))
  const answer = await attributes('facts')
  expect(answer).toMatchObject({
    ETag: ETag?.replaceAll('"', ''),
    Checksum: { ChecksumCRC32C: expect.any(String), ChecksumType: 'FULL_OBJECT' },
    StorageClass: 'STANDARD',
    ObjectSize: 5,
    VersionId,
    LastModified: expect.any(Date),
  })
  expect(answer.ObjectParts).toBeUndefined()
  const { $metadata, LastModified, ...some } = await attributes('facts', { ObjectAttributes: ['ObjectSize'] })
  expect(some).toEqual({ ObjectSize: 5, VersionId })
  await client.send(new PutObjectCommand({ Bucket, Key: 'facts', Body: 'longer bytes' }))
  expect(await attributes('facts', { VersionId })).toMatchObject({ ObjectSize: 5, VersionId })
})

test('the parts of an object are listed in pages', async () => {
  await putParts('listed', ['first', 'second', 'x'])
  expect(await attributes('listed')).toMatchObject({
    Checksum: { ChecksumSHA256: composite, ChecksumType: 'COMPOSITE' },
    ObjectSize: 12,
    ObjectParts: { TotalPartsCount: 3, IsTruncated: false, MaxParts: 1000, PartNumberMarker: '0', NextPartNumberMarker: '3' },
  })
  const first = (await attributes('listed', { MaxParts: 2 })).ObjectParts
  expect(first).toMatchObject({ TotalPartsCount: 3, IsTruncated: true, MaxParts: 2, NextPartNumberMarker: '2' })
  const rest = (await attributes('listed', { PartNumberMarker: first?.NextPartNumberMarker ?? '' })).ObjectParts
  expect(rest).toMatchObject({ TotalPartsCount: 3, IsTruncated: false, PartNumberMarker: '2' })
  expect([...(first?.Parts ?? []), ...(rest?.Parts ?? [])]).toEqual([
    { PartNumber: 1, Size: 5, ChecksumSHA256: sha256('first') },
    { PartNumber: 2, Size: 6, ChecksumSHA256: sha256('second') },
    { PartNumber: 3, Size: 1, ChecksumSHA256: sha256('x') },
  ])
  expect((await attributes('listed', { MaxParts: 0 })).ObjectParts).toMatchObject({ TotalPartsCount: 3, IsTruncated: false })
})

test('attributes of what does not exist, is deleted or is not asked for in a valid way are refused', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'gone', Body: 'bytes' }))
  const { VersionId } = await client.send(new DeleteObjectCommand({ Bucket, Key: 'gone' }))
  const send = (url: string, headers: Record<string, string>, user = owner) => server.send({ method: 'GET', url, user, headers })
  const asks = { 'x-amz-object-attributes': 'ETag, ObjectSize' }
  expect(await send('/parts/absent?attributes', asks)).toMatchObject({ status: 404, code: 'NoSuchKey' })
  expect(await send('/absent/k?attributes', asks)).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  const deleted = await send('/parts/gone?attributes', asks)
  expect(deleted).toMatchObject({ status: 404, code: 'NoSuchKey' })
  expect(deleted.headers.get('x-amz-delete-marker')).toBe('true')
  expect(await send(`/parts/gone?attributes&versionId=${VersionId}`, asks)).toMatchObject({ status: 405, code: 'MethodNotAllowed' })
  expect(await send('/parts/gone?attributes', {})).toMatchObject({ status: 400, code: 'InvalidRequest' })
  expect(await send('/parts/gone?attributes', { 'x-amz-object-attributes': 'Owner' })).toMatchObject({
    status: 400,
    code: 'InvalidArgument',
  })
  for (const name of ['x-amz-max-parts', 'x-amz-part-number-marker']) {
    expect(await send('/parts/gone?attributes', { ...asks, [name]: '-1' })).toMatchObject({ status: 400, code: 'InvalidArgument' })
  }
})

test('attributes need the permission of the owner of the bucket or of an admin', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'own', Body: 'bytes' }))
  const [other, powerful] = [server.client(plain), server.client(admin)]
  await expect(attributes('own', {}, other)).rejects.toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } })
  expect(await attributes('own', {}, powerful)).toMatchObject({ ObjectSize: 5 })
  for (const one of [other, powerful]) one.destroy()
})

test.each([
  [undefined, 's3:GetObject'],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 's3:GetObjectVersion'],
] as const)('attributes of the version %s need the permission %s too', async (versionId, action) => {
  const { buckets, objects, uploads, versions } = server.storage
  const request: ObjectRequest = {
    method: 'GET',
    query: new Map(versionId === undefined ? [] : [['versionId', versionId]]),
    headers: readHeaders(['x-amz-object-attributes', 'ETag']),
    resourceUrl: 'http://localhost/own/own',
    caller: owner,
    now: Date.now(),
    bucket: buckets.require(Bucket),
    key: 'own',
    async require(asked, resource) {
      throw new S3Error('AccessDenied', { message: `${asked} on ${resource?.key}` })
    },
    async confirm() {},
    clientSignal: () => AbortSignal.any([]),
    holdMemory: () => {},
    openBody: () => Promise.reject(new Error('attributes have no body')),
  }
  const operation: Operation = getObjectAttributes
  if (operation.scope !== 'object') throw new Error('attributes are those of an object')
  const run = async () => operation.run(request, { buckets, objects, uploads, versions, ...noStoredSettings })
  await expect(run()).rejects.toMatchObject({ code: 'AccessDenied', message: `${action} on own` })
})
