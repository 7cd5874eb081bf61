import { hash } from 'node:crypto'
import {
  type ChecksumAlgorithm,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { owner, startTestServer } from '../../testing/test-server.ts'

let server: Awaited<ReturnType<typeof startTestServer>>
let client: S3Client

beforeAll(async () => {
  server = await startTestServer()
  client = server.client()
})

afterAll(async () => {
  client.destroy()
  await server[Symbol.asyncDispose]()
})

const put = async (Bucket: string, Key: string, text = 'x') =>
  (await client.send(new PutObjectCommand({ Bucket, Key, Body: text.padEnd(200, text) }))).VersionId ?? ''
const mark = async (Bucket: string, Key: string) => (await client.send(new DeleteObjectCommand({ Bucket, Key }))).VersionId ?? ''
const list = (Bucket: string, more: Omit<ListObjectVersionsCommandInput, 'Bucket'> = {}) =>
  client.send(new ListObjectVersionsCommand({ Bucket, ...more }))

test('versions and delete markers are listed newest first with their properties', async () => {
  const bucket = await server.newBucket()
  const [first, marker, last] = [await put(bucket, 'k', '1'), await mark(bucket, 'k'), await put(bucket, 'k', '2')]
  const answer = await list(bucket)
  expect(answer.Versions).toMatchObject([
    { Key: 'k', VersionId: last, IsLatest: true, Size: 200, StorageClass: 'STANDARD', Owner: { ID: owner.ownerId } },
    { Key: 'k', VersionId: first, IsLatest: false, ETag: expect.stringMatching(/^"[0-9a-f]{32}"$/), LastModified: expect.any(Date) },
  ])
  expect(answer.DeleteMarkers).toMatchObject([{ Key: 'k', VersionId: marker, IsLatest: false, Owner: { ID: owner.ownerId } }])
  expect(answer).toMatchObject({ Name: bucket, MaxKeys: 1000, IsTruncated: false, KeyMarker: '', VersionIdMarker: '' })
  expect(answer.NextKeyMarker).toBeUndefined()
})

test('every listing shows the algorithm and type of the checksum, also of a version that became current again', async () => {
  const bucket = await server.newBucket()
  const sends = (checksum: object) => client.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: 'x'.repeat(200), ...checksum }))
  await sends({ ChecksumXXHASH3: 'UO8ST7Hk3lM=' })
  const { VersionId } = await sends({ ChecksumSHA512: hash('sha512', 'x'.repeat(200), 'base64') })
  const shown = (ChecksumAlgorithm: ChecksumAlgorithm) => ({ ChecksumAlgorithm: [ChecksumAlgorithm], ChecksumType: 'FULL_OBJECT' })
  expect((await list(bucket)).Versions).toMatchObject([shown('SHA512'), shown('XXHASH3')])
  const current = async () => [
    await client.send(new ListObjectsCommand({ Bucket: bucket })),
    await client.send(new ListObjectsV2Command({ Bucket: bucket })),
    await client.send(new ListObjectsV2Command({ Bucket: bucket, Delimiter: '/', MaxKeys: 1 })),
  ]
  for (const { Contents } of await current()) expect(Contents).toMatchObject([shown('SHA512')])
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k', VersionId }))
  for (const { Contents } of await current()) expect(Contents).toMatchObject([shown('XXHASH3')])
  await server.storage.expectSound()
})

test('paging by markers lists everything once', async () => {
  const bucket = await server.newBucket()
  const ids: string[] = []
  for (const key of ['a', 'b b', 'ü&']) for (const text of ['1', '2', '3']) ids.push(await put(bucket, key, text))
  const seen: string[] = []
  let pages = 0
  let markers: Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'> = {}
  for (let isTruncated = true; isTruncated && pages < 20; pages += 1) {
    const page = await list(bucket, { MaxKeys: 2, EncodingType: 'url', ...markers })
    seen.push(...(page.Versions ?? []).map(({ VersionId }) => VersionId ?? ''))
    isTruncated = page.IsTruncated === true
    markers = { KeyMarker: decodeURIComponent(page.NextKeyMarker ?? ''), VersionIdMarker: page.NextVersionIdMarker }
  }
  expect(pages).toBe(5)
  expect(seen.sort()).toEqual(ids.sort())
})

test('keys are grouped by the delimiter, and a key marker alone skips all versions of its key', async () => {
  const bucket = await server.newBucket()
  for (const key of ['a', 'b/1', 'b/2', 'c']) await put(bucket, key)
  await put(bucket, 'a')
  const rolled = await list(bucket, { Delimiter: '/', MaxKeys: 3 })
  expect(rolled.Versions?.map(({ Key }) => Key)).toEqual(['a', 'a'])
  expect(rolled.CommonPrefixes).toEqual([{ Prefix: 'b/' }])
  expect(rolled).toMatchObject({ IsTruncated: true, NextKeyMarker: 'b/', Delimiter: '/' })
  expect(rolled.NextVersionIdMarker).toBeUndefined()
  const rest = await list(bucket, { Delimiter: '/', KeyMarker: 'b/' })
  expect(rest.Versions?.map(({ Key }) => Key)).toEqual(['c'])
  expect((await list(bucket, { KeyMarker: 'a', MaxKeys: 1 })).Versions?.[0]?.Key).toBe('b/1')
  expect((await list(bucket, { Prefix: 'b/' })).Versions).toHaveLength(2)
  expect(await list(bucket, { MaxKeys: 0 })).toMatchObject({ IsTruncated: false, MaxKeys: 0 })
})

test('a version is removed permanently; removing a delete marker restores the object', async () => {
  const bucket = await server.newBucket()
  const [first, last, marker] = [await put(bucket, 'k', '1'), await put(bucket, 'k', '2'), await mark(bucket, 'k')]
  const remove = (VersionId: string) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k', VersionId }))
  expect(await remove(marker)).toMatchObject({ DeleteMarker: true, VersionId: marker, $metadata: { httpStatusCode: 204 } })
  const removed = await remove(last)
  expect(removed.VersionId).toBe(last)
  expect(removed.DeleteMarker).toBeUndefined()
  const get = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'k' }))
  expect(get.VersionId).toBe(first)
  await get.Body?.transformToByteArray()
  for (const gone of [last, 'null', '01ARZ3NDEKTSV4RRFFQ69G5FAV']) {
    expect(await remove(gone)).toMatchObject({ VersionId: gone, $metadata: { httpStatusCode: 204 } })
  }
})

test('an ID that no version can have is refused wherever a version is named', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'k')
  for (const id of ['', 'x', 'v1', '01arz3ndektsv4rrffq69g5fav', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '3sL4kqtJlcpXroDTDmJ%2BrmSpXd3dIbrHY']) {
    const headers = { 'x-amz-object-attributes': 'ETag', 'x-amz-acl': 'private' }
    for (const query of ['', '&tagging', '&acl', '&attributes']) {
      const ask = (method: string) => server.send({ method, url: `/${bucket}/k?versionId=${id}${query}`, user: owner, headers })
      expect.soft(await ask('GET'), `GET ${id}${query}`).toMatchObject({ status: 400, code: 'InvalidArgument' })
      if (query === '') expect(await ask('HEAD')).toMatchObject({ status: 400 })
      if (query === '' || query === '&tagging') expect(await ask('DELETE')).toMatchObject({ status: 400, code: 'InvalidArgument' })
    }
    const copy = { 'x-amz-copy-source': `${bucket}/k?versionId=${id}` }
    expect(await server.send({ method: 'PUT', url: `/${bucket}/copy`, user: owner, headers: copy })).toMatchObject({
      status: 400,
      code: 'InvalidArgument',
    })
  }
  expect((await list(bucket)).Versions).toHaveLength(1)
})

test('a conditional delete removes only a matching object', async () => {
  const bucket = await server.newBucket()
  const VersionId = await put(bucket, 'k', '1')
  const { ETag, LastModified, Size } = (await list(bucket)).Versions?.[0] ?? {}
  const remove = (more: object) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k', ...more }))
  const yesterday = new Date(Date.now() - 86_400_000)
  for (const wrong of [{ IfMatch: '"other"' }, { IfMatchSize: 199 }, { IfMatchLastModifiedTime: yesterday }]) {
    await expect(remove(wrong)).rejects.toMatchObject({ name: 'PreconditionFailed', $metadata: { httpStatusCode: 412 } })
    await expect(remove({ ...wrong, VersionId })).rejects.toMatchObject({ name: 'PreconditionFailed' })
  }
  expect((await list(bucket)).DeleteMarkers).toBeUndefined()
  const right = { IfMatch: ETag, IfMatchSize: Size, IfMatchLastModifiedTime: LastModified }
  expect(await remove(right)).toMatchObject({ DeleteMarker: true })
  await expect(remove({ IfMatch: ETag })).rejects.toMatchObject({ name: 'PreconditionFailed' })
  expect(await remove({ IfMatch: '*' })).toMatchObject({ DeleteMarker: true })
  expect(await remove({ ...right, VersionId })).toMatchObject({ VersionId })
})

test('a conditional delete of a missing object succeeds and adds no delete marker', async () => {
  const bucket = await server.newBucket()
  const missing = { Key: 'missing', ETag: '"x"' }
  for (const IfMatch of ['*', '"x"']) {
    const { $metadata, DeleteMarker } = await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'missing', IfMatch }))
    expect([$metadata.httpStatusCode, DeleteMarker]).toEqual([204, undefined])
  }
  const { Deleted, Errors } = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [missing] } }))
  expect([Deleted, Errors]).toEqual([[{ Key: 'missing' }], undefined])
  expect((await list(bucket)).DeleteMarkers).toBeUndefined()
})
