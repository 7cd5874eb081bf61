import { hash } from 'node:crypto'
import {
  DeleteObjectsCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type ObjectIdentifier,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { permissionsOf } from '../../auth/permissions.ts'
import { openRequestBody } from '../../auth/request-body.ts'
import { deleteResultDocument } from '../../documents/delete-result.ts'
import { admin, noStoredSettings, owner, plain, startStoredServer } from '../../testing/test-server.ts'
import { readHeaders } from '../../wire/headers.ts'
import type { BucketRequest } from '../operation.ts'
import { deleteObjects } from './delete-objects.ts'

let server: Awaited<ReturnType<typeof startStoredServer>>
let client: S3Client

beforeAll(async () => {
  server = await startStoredServer()
  client = server.client()
})

afterAll(async () => {
  client.destroy()
  await server[Symbol.asyncDispose]()
})

const put = (Bucket: string, Key: string, Body = 'bytes') => client.send(new PutObjectCommand({ Bucket, Key, Body }))
const remove = (Bucket: string, Objects: ObjectIdentifier[], Quiet = false) =>
  client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet } }))
const list = (Bucket: string) => client.send(new ListObjectVersionsCommand({ Bucket }))

/** The raw request; `digest`: sends Content-MD5. */
const post = (bucket: string, body: string, { digest = true, user = owner, headers = {} } = {}) =>
  server.send({
    method: 'POST',
    url: `/${bucket}?delete`,
    user,
    body,
    headers: { ...(digest && { 'content-md5': hash('md5', body, 'base64') }), ...headers },
  })
const bodyOf = (...keys: string[]) => `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`

test('objects get delete markers, and named versions and markers are removed', async () => {
  const bucket = await server.newBucket()
  const [a, b] = [await put(bucket, 'a'), await put(bucket, 'b & <ü>')]
  const marked = await remove(bucket, [{ Key: 'b & <ü>' }, { Key: 'new' }])
  expect(marked.Errors).toBeUndefined()
  expect(marked.Deleted).toEqual([
    { Key: 'b & <ü>', DeleteMarker: true, DeleteMarkerVersionId: expect.any(String) },
    { Key: 'new', DeleteMarker: true, DeleteMarkerVersionId: expect.any(String) },
  ])
  const marker = marked.Deleted?.[0]?.DeleteMarkerVersionId
  const removed = await remove(bucket, [
    { Key: 'a', VersionId: a.VersionId },
    { Key: 'b & <ü>', VersionId: marker },
    { Key: 'a', VersionId: 'null' },
  ])
  expect(removed.Deleted).toEqual([
    { Key: 'a', VersionId: a.VersionId },
    { Key: 'b & <ü>', VersionId: marker, DeleteMarker: true, DeleteMarkerVersionId: marker },
    { Key: 'a', VersionId: 'null' },
  ])
  expect((await list(bucket)).Versions?.map(({ VersionId, IsLatest }) => ({ VersionId, IsLatest }))).toEqual([
    { VersionId: b.VersionId, IsLatest: true },
  ])
  await server.storage.expectSound()
})

test('1000 objects are deleted by one request, and a quiet one answers only errors', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'kept')
  const keys = Array.from({ length: 999 }, (_, at) => ({ Key: `key ${at}` }))
  const answer = await remove(bucket, [...keys, { Key: 'kept', ETag: '"other"' }], true)
  expect(answer.Deleted).toBeUndefined()
  expect(answer.Errors).toEqual([{ Key: 'kept', Code: 'PreconditionFailed', Message: expect.any(String) }])
  expect((await list(bucket)).DeleteMarkers).toHaveLength(999)
})

test('each object has its own conditions: entity tag, size and time', async () => {
  const bucket = await server.newBucket()
  const { ETag = '', VersionId } = await put(bucket, 'k', 'x'.repeat(10))
  const LastModifiedTime = (await list(bucket)).Versions?.[0]?.LastModified
  const wrong: ObjectIdentifier[] = [{ ETag: '"other"' }, { Size: 11 }, { LastModifiedTime: new Date(0) }].map((condition) => ({
    Key: 'k',
    ...condition,
  }))
  const refused = await remove(bucket, [...wrong, ...wrong.map((item) => ({ ...item, VersionId }))])
  expect(refused.Errors?.map(({ Code }) => Code)).toEqual(Array.from({ length: 6 }, () => 'PreconditionFailed'))
  expect(refused.Deleted).toBeUndefined()
  const deleted = await remove(bucket, [
    { Key: 'k', ETag, Size: 10, LastModifiedTime },
    { Key: 'absent', ETag: '"any"' },
    { Key: 'k', ETag },
    { Key: 'k', ETag: ETag.replaceAll('"', ''), VersionId },
  ])
  expect(deleted.Deleted?.map(({ Key }) => Key)).toEqual(['k', 'absent', 'k'])
  expect(deleted.Errors).toMatchObject([{ Key: 'k', Code: 'PreconditionFailed' }])
})

test('an invalid key or version id is the error of that object only', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'k')
  const { Deleted, Errors } = await remove(bucket, [{ Key: 'x'.repeat(1025) }, { Key: 'k', VersionId: 'none' }, { Key: 'k' }])
  expect(Deleted).toMatchObject([{ Key: 'k' }])
  expect(Errors?.map(({ Code }) => Code)).toEqual(['KeyTooLongError', 'NoSuchVersion'])
})

test.each([
  ['the owner', owner],
  ['an admin', admin],
] as const)('%s deletes keys and versions', async (_, user) => {
  const bucket = await server.newBucket()
  const { VersionId } = await put(bucket, 'k')
  const caller = server.client(user)
  const Objects = [{ Key: 'k' }, { Key: 'k', VersionId }]
  const { Deleted, Errors } = await caller.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }))
  caller.destroy()
  expect(Errors).toBeUndefined()
  expect(Deleted?.length).toBe(2)
})

test('the permission is checked for each key and version', async () => {
  const bucket = server.storage.buckets.find(await server.newBucket())
  if (bucket === undefined || deleteObjects.scope !== 'bucket') throw new Error('the bucket is missing')
  await put(bucket.name, 'k')
  const body = `<Delete><Object><Key>k</Key></Object><Object><Key>k</Key><VersionId>v</VersionId></Object></Delete>`
  const headers = readHeaders(['content-length', String(body.length), 'content-md5', hash('md5', body, 'base64')])
  async function* wire() {
    yield Buffer.from(body)
  }
  const request: BucketRequest = {
    method: 'POST',
    query: new Map(),
    headers,
    caller: plain,
    now: 0,
    resourceUrl: '',
    bucket,
    ...permissionsOf(plain, noStoredSettings.accessLists),
    clientSignal: () => AbortSignal.any([]),
    holdMemory: () => {},
    openBody: () => openRequestBody({ wire: wire(), headers, authentication: undefined, defaultChecksum: undefined }),
  }
  const answer = await deleteObjects.run(request, { ...server.storage, ...noStoredSettings })
  expect(deleteResultDocument.parse(Buffer.from(answer.body ?? ''))).toMatchObject({
    deleted: [],
    errors: [
      { code: 'AccessDenied', message: expect.stringContaining(`s3:DeleteObject on /${bucket.name}/k`) },
      { code: 'AccessDenied', message: expect.stringContaining(`s3:DeleteObjectVersion on /${bucket.name}/k`) },
    ],
  })
  await client.send(new HeadObjectCommand({ Bucket: bucket.name, Key: 'k' }))
})

test('a user that does not own the bucket is refused whole', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'k')
  const answer = await post(bucket, bodyOf('k'), { user: plain })
  expect(answer).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(answer.body).toContain(`s3:DeleteObject on /${bucket} needs`)
  await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'k' }))
})

test('an anonymous request is refused before its body arrives', async () => {
  const head = `POST /${await server.newBucket()}?delete HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-MD5: ${hash('md5', '', 'base64')}\r\n`
  expect(await server.sendRaw(`${head}Content-Length: 1000\r\n\r\n`)).toMatchObject({ status: 403, code: 'AccessDenied' })
})

test('an anonymous request deletes nothing', async () => {
  const bucket = await server.newBucket()
  await put(bucket, 'k')
  const body = bodyOf('k')
  const { port } = server
  const head = `POST /${bucket}?delete HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-MD5: ${hash('md5', body, 'base64')}\r\n`
  const answer = await server.sendRaw(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
  expect(answer).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect((await list(bucket)).DeleteMarkers).toBeUndefined()
})

test.each([
  ['a missing bucket', 'absent', bodyOf('k'), {}, 404, 'NoSuchBucket'],
  ['no digest', 'own', bodyOf('k'), { digest: false }, 400, 'InvalidRequest'],
  ['a wrong digest', 'own', bodyOf('k'), { headers: { 'content-md5': hash('md5', 'x', 'base64') } }, 400, 'BadDigest'],
  ['a document that is not XML', 'own', 'k', {}, 400, 'MalformedXML'],
  ['no object', 'own', '<Delete></Delete>', {}, 400, 'MalformedXML'],
  ['1001 objects', 'own', bodyOf(...Array.from({ length: 1001 }, () => 'k')), {}, 400, 'MalformedXML'],
  ['more than 2 MiB', 'own', bodyOf('k'.repeat(2 * 1024 * 1024)), {}, 400, 'MalformedXML'],
  ['a document type', 'own', `<!DOCTYPE d [<!ENTITY e "x">]>${bodyOf('&e;')}`, {}, 400, 'MalformedXML'],
  ['another owner than expected', 'own', bodyOf('k'), { headers: { 'x-amz-expected-bucket-owner': 'other' } }, 403, 'AccessDenied'],
] as const)('a request with %s is refused whole', async (...[, bucket, body, options, status, code]) => {
  if (!server.storage.buckets.find('own')) await server.storage.buckets.create({ name: 'own', ownerAccessKey: owner.accessKey })
  expect(await post(bucket, body, options)).toMatchObject({ status, code })
})

test('a document with another namespace, or none, is read', async () => {
  const bucket = await server.newBucket()
  for (const xml of [bodyOf('k'), bodyOf('k').replace('<Delete>', '<Delete xmlns="http://example.com/">')]) {
    expect(deleteResultDocument.parse(Buffer.from((await post(bucket, xml)).body)).deleted).toMatchObject([{ key: 'k' }])
  }
})
