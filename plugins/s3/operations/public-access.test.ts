/** What callers other than the owner get, operation by operation, while the operator allows public access. */
import { hash } from 'node:crypto'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/test-gateway.ts'
import { encodeForm, signForm } from '../testing/upload-form.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>
const body = 'x'.repeat(200)

const buckets = { closed: undefined, readable: 'public-read', writable: 'public-read-write', users: 'authenticated-read' } as const
let uploadId: string
let oldVersion: string
let marker: string

beforeAll(async () => {
  gateway = await startTestGateway({ 's3.public_access': true })
  const client = gateway.client()
  for (const [Bucket, ACL] of Object.entries(buckets)) {
    await client.send(new CreateBucketCommand({ Bucket, ...(ACL && { ACL }) }))
    const old = await client.send(new PutObjectCommand({ Bucket, Key: 'old-public', Body: body, ACL: 'public-read' }))
    await client.send(new PutObjectCommand({ Bucket, Key: 'old-public', Body: body }))
    await client.send(new PutObjectCommand({ Bucket, Key: 'private', Body: body }))
    await client.send(new PutObjectCommand({ Bucket, Key: 'public', Body: body, ACL: 'public-read' }))
    const deleted = await client.send(new DeleteObjectCommand({ Bucket, Key: 'deleted' }))
    if (Bucket === 'closed') [oldVersion, marker] = [old.VersionId ?? '', deleted.VersionId ?? '']
  }
  const upload = await client.send(new CreateMultipartUploadCommand({ Bucket: 'writable', Key: 'uploading' }))
  uploadId = upload.UploadId ?? ''
})

afterAll(() => gateway[Symbol.asyncDispose]())

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

const callers = ['anonymous', 'other', 'plain'] as const
type CallerName = (typeof callers)[number]

function send(caller: CallerName, { method, url, headers = {}, body: sent = '' }: Sent) {
  if (caller !== 'anonymous') return gateway.send({ method, url, headers, body: sent, user: gateway.users[caller] })
  const length = sent.length > 0 || method === 'PUT' ? { 'content-length': String(Buffer.byteLength(sent)) } : {}
  return gateway.sendUnsigned(method, url, { ...length, ...headers }, sent)
}

const deletion = (key: string, version = '') => {
  const document = `<Delete><Object><Key>${key}</Key>${version}</Object></Delete>`
  return { method: 'POST', headers: { 'content-md5': hash('md5', document, 'base64') }, body: document }
}

/** Signed by the caller, if it is a user. */
function post(caller: CallerName, bucket: string) {
  const fields = { key: 'posted' }
  const user = caller === 'anonymous' ? undefined : gateway.users[caller]
  const sent = encodeForm(user ? signForm({ user, fields, bucket }) : Object.entries(fields), { bytes: body })
  return gateway.sendUnsigned('POST', `/${bucket}`, sent.headers, sent.body)
}

/** Every operation that sees or changes keys, bytes or their lists. */
const requests = (bucket: string, key: string): Sent[] => [
  { method: 'HEAD', url: `/${bucket}` },
  { method: 'GET', url: `/${bucket}` },
  { method: 'GET', url: `/${bucket}?list-type=2` },
  { method: 'GET', url: `/${bucket}?versions` },
  { method: 'GET', url: `/${bucket}?uploads` },
  { method: 'GET', url: `/${bucket}/${key}` },
  { method: 'HEAD', url: `/${bucket}/${key}` },
  { method: 'GET', url: `/${bucket}/${key}`, headers: { range: 'bytes=0-1' } },
  { method: 'GET', url: `/${bucket}/${key}`, headers: { 'if-none-match': '*' } },
  { method: 'GET', url: `/${bucket}/${key}?partNumber=1` },
  { method: 'GET', url: `/${bucket}/${key}?versionId=none` },
  { method: 'GET', url: `/${bucket}/${key}?versionId=%21` },
  { method: 'GET', url: `/${bucket}/${key}?attributes`, headers: { 'x-amz-object-attributes': 'ETag' } },
  { method: 'GET', url: `/${bucket}/${key}?tagging` },
  { method: 'GET', url: `/${bucket}/${key}?acl` },
  { method: 'PUT', url: `/${bucket}/${key}?acl`, headers: { 'x-amz-acl': 'public-read' } },
  { method: 'PUT', url: `/${bucket}/${key}?tagging`, body: '<Tagging><TagSet></TagSet></Tagging>' },
  { method: 'DELETE', url: `/${bucket}/${key}?tagging` },
  { method: 'PUT', url: `/${bucket}/${key}`, body },
  { method: 'PUT', url: `/${bucket}/${key}`, body, headers: { 'if-none-match': '*' } },
  { method: 'PUT', url: `/${bucket}/copied`, headers: { 'x-amz-copy-source': `${bucket}/${key}` } },
  { method: 'PUT', url: `/writable/copied`, headers: { 'x-amz-copy-source': `${bucket}/${key}` } },
  { method: 'DELETE', url: `/${bucket}/${key}` },
  { method: 'DELETE', url: `/${bucket}/${key}?versionId=none` },
  { method: 'POST', url: `/${bucket}/${key}?uploads` },
  { method: 'PUT', url: `/${bucket}/${key}?uploadId=none&partNumber=1`, body },
  { method: 'PUT', url: `/${bucket}/${key}?uploadId=none&partNumber=1`, headers: { 'x-amz-copy-source': `${bucket}/${key}` } },
  { method: 'GET', url: `/${bucket}/${key}?uploadId=none` },
  { method: 'POST', url: `/${bucket}/${key}?uploadId=none`, body: '<CompleteMultipartUpload/>' },
  { method: 'DELETE', url: `/${bucket}/${key}?uploadId=none` },
  { ...deletion(key), url: `/${bucket}?delete` },
  { method: 'GET', url: `/${bucket}?acl` },
  { method: 'PUT', url: `/${bucket}?acl`, headers: { 'x-amz-acl': 'public-read-write' } },
  { method: 'GET', url: `/${bucket}?policyStatus` },
  { method: 'DELETE', url: `/${bucket}` },
]

describe('a bucket without a list', () => {
  test.each(callers)('refuses every operation of %s, with the same answer for objects that exist and that do not', async (caller) => {
    const ofPrivate = requests('closed', 'private')
    const ofMissing = requests('closed', 'absent')
    expect(await post(caller, 'closed')).toMatchObject({ status: 403, code: 'AccessDenied' })
    for (const [at, request] of ofPrivate.entries()) {
      const missing = ofMissing[at] as Sent
      const [one, other] = [await send(caller, request), await send(caller, missing)]
      expect.soft(one, `${request.method} ${request.url}`).toMatchObject({ status: 403 })
      if (request.method !== 'HEAD') expect.soft(one.code).toBe('AccessDenied')
      const message = (text: string) => /<Message>(.*)<\/Message>/.exec(text)?.[1]?.replaceAll('absent', 'private')
      expect.soft({ status: other.status, message: message(other.body) }).toEqual({ status: one.status, message: message(one.body) })
      expect.soft([...other.headers.keys()].sort()).toEqual([...one.headers.keys()].sort())
    }
  })

  test('still gives everyone an object with a public list, and nothing else of it', async () => {
    for (const caller of callers) {
      expect(await send(caller, { method: 'GET', url: '/closed/public' })).toMatchObject({ status: 200, body })
      expect((await fetch(`${gateway.url}/closed/public`, { method: 'HEAD' })).status).toBe(200)
      for (const request of [
        { method: 'GET', url: '/closed/public?acl' },
        { method: 'GET', url: '/closed/public?tagging' },
        { method: 'PUT', url: '/closed/public?acl', headers: { 'x-amz-acl': 'private' } },
        { method: 'PUT', url: '/closed/public', body },
        { method: 'DELETE', url: '/closed/public' },
      ]) {
        expect(await send(caller, request)).toMatchObject({ status: 403, code: 'AccessDenied' })
      }
    }
  })

  test('gives a public version, not the private one above it, and hides delete markers', async () => {
    for (const caller of callers) {
      expect(await send(caller, { method: 'GET', url: '/closed/old-public' })).toMatchObject({ status: 403 })
      expect(await send(caller, { method: 'GET', url: `/closed/old-public?versionId=${oldVersion}` })).toMatchObject({ status: 200 })
      for (const url of [`/closed/other-key?versionId=${oldVersion}`, '/closed/deleted', `/closed/deleted?versionId=${marker}`]) {
        const answer = await send(caller, { method: 'GET', url })
        expect(answer).toMatchObject({ status: 403, code: 'AccessDenied' })
        expect(answer.headers.has('x-amz-delete-marker')).toBe(false)
      }
    }
  })
})

test.each([
  ['readable', ['anonymous', 'other', 'plain']],
  ['users', ['other', 'plain']],
] as const)(
  'the bucket %s shows its keys to %o, tells them that a key is missing, and keeps private objects and writes from them',
  async (...[bucket, readers]) => {
    for (const caller of readers) {
      for (const query of ['', '?list-type=2', '?versions', '?uploads']) {
        expect(await send(caller, { method: 'GET', url: `/${bucket}${query}` })).toMatchObject({ status: 200 })
      }
      expect(await send(caller, { method: 'GET', url: `/${bucket}/absent` })).toMatchObject({ status: 404, code: 'NoSuchKey' })
      expect(await send(caller, { method: 'GET', url: `/${bucket}/deleted` })).toMatchObject({ status: 404, code: 'NoSuchKey' })
      expect(await send(caller, { method: 'GET', url: `/${bucket}/private?versionId=01ARZ3NDEKTSV4RRFFQ69G5FAV` })).toMatchObject({
        status: 404,
        code: 'NoSuchVersion',
      })
      for (const request of requests(bucket, 'private').filter(
        ({ method, url }) => method !== 'GET' && method !== 'HEAD' && !url.startsWith('/writable'),
      )) {
        expect.soft(await send(caller, request), `${request.method} ${request.url}`).toMatchObject({ status: 403, code: 'AccessDenied' })
      }
      expect(await post(caller, bucket)).toMatchObject({ status: 403, code: 'AccessDenied' })
      expect(await send(caller, { method: 'GET', url: `/${bucket}/private` })).toMatchObject({ status: 403 })
      expect(
        await send(caller, { method: 'PUT', url: '/writable/copied', headers: { 'x-amz-copy-source': `${bucket}/private` } }),
      ).toMatchObject({
        status: 403,
      })
    }
    for (const caller of callers.filter((one) => !readers.includes(one as never))) {
      expect(await send(caller, { method: 'GET', url: `/${bucket}` })).toMatchObject({ status: 403 })
      expect(await send(caller, { method: 'GET', url: `/${bucket}/absent` })).toMatchObject({ status: 403 })
    }
  },
)

describe('a bucket that everyone may write', () => {
  test.each(callers)(
    'stores, copies and deletes objects of %s, and keeps versions, settings and uploads of others from them',
    async (caller) => {
      const bucket = 'writable'
      expect(await send(caller, { method: 'PUT', url: `/${bucket}/by-${caller}`, body })).toMatchObject({ status: 200 })
      expect(await post(caller, bucket)).toMatchObject({ status: 204 })
      expect(
        await send(caller, { method: 'PUT', url: `/${bucket}/copied`, headers: { 'x-amz-copy-source': '/closed/public' } }),
      ).toMatchObject({ status: 200 })
      expect(await send(caller, { method: 'DELETE', url: `/${bucket}/by-${caller}` })).toMatchObject({ status: 204 })
      const listed = deletion('gone', '<VersionId>none</VersionId>')
      expect(await send(caller, { ...listed, url: `/${bucket}?delete` })).toMatchObject({
        status: 200,
        body: expect.stringContaining('<Code>AccessDenied</Code>'),
      })
      expect(await send(caller, { method: 'DELETE', url: `/${bucket}/private?versionId=none` })).toMatchObject({ status: 403 })
      // Not the ETag of what the caller may not read.
      expect(await send(caller, { method: 'PUT', url: `/${bucket}/private`, body, headers: { 'if-match': '"x"' } })).toMatchObject({
        status: 403,
      })
      expect(await send(caller, { method: 'DELETE', url: `/${bucket}/private`, headers: { 'if-match': '"x"' } })).toMatchObject({
        status: 403,
      })
      const place = `/${bucket}/uploading?uploadId=${uploadId}`
      for (const request of [
        { method: 'PUT', url: `${place}&partNumber=1`, body },
        { method: 'PUT', url: `${place}&partNumber=1`, headers: { 'x-amz-copy-source': '/closed/public' } },
        { method: 'GET', url: place },
        { method: 'DELETE', url: place },
        {
          method: 'POST',
          url: place,
          body: '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>',
        },
        { method: 'GET', url: `/${bucket}?acl` },
        { method: 'PUT', url: `/${bucket}?acl`, headers: { 'x-amz-acl': 'private' } },
        { method: 'PUT', url: `/${bucket}?publicAccessBlock`, body: '<PublicAccessBlockConfiguration/>' },
        { method: 'DELETE', url: `/${bucket}?ownershipControls` },
        { method: 'DELETE', url: `/${bucket}` },
      ]) {
        expect.soft(await send(caller, request), `${request.method} ${request.url}`).toMatchObject({ status: 403, code: 'AccessDenied' })
      }
    },
  )

  test('starts no upload in parts for an anonymous caller, and one for a user who alone may continue it', async () => {
    const start = { method: 'POST', url: '/writable/parts?uploads' }
    expect(await send('anonymous', start)).toMatchObject({ status: 403, code: 'AccessDenied' })
    const answer = await send('other', start)
    const id = /<UploadId>(\w+)<\/UploadId>/.exec(answer.body)?.[1]
    const place = `/writable/parts?uploadId=${id}`
    expect(await send('plain', { method: 'PUT', url: `${place}&partNumber=1`, body })).toMatchObject({ status: 403 })
    const part = await send('other', { method: 'PUT', url: `${place}&partNumber=1`, body })
    const document = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.get('etag')}</ETag></Part></CompleteMultipartUpload>`
    expect(await send('other', { method: 'GET', url: place })).toMatchObject({ status: 200 })
    expect(await send('plain', { method: 'POST', url: place, body: document })).toMatchObject({ status: 403 })
    const complete = { method: 'POST', url: place, body: document }
    expect(await send('other', complete)).toMatchObject({ status: 200 })
    // Repeating it is answered like the first time, also to those who may not end the upload.
    expect(await send('other', complete)).toMatchObject({ status: 200 })
    expect(await send('anonymous', complete)).toMatchObject({ status: 403, code: 'AccessDenied' })
    expect(await send('plain', complete)).toMatchObject({ status: 403, code: 'AccessDenied' })
    // The writer owns it.
    expect(await send('other', { method: 'GET', url: '/writable/parts' })).toMatchObject({ status: 200, body })
    expect(await send('plain', { method: 'GET', url: '/writable/parts' })).toMatchObject({ status: 403 })
    expect(await gateway.send({ method: 'GET', url: '/writable/parts' })).toMatchObject({ status: 403 })
  })

  test('refuses a condition on the ETag of an object also when it is missing, unless the caller may know that', async () => {
    const put = { method: 'PUT', body, headers: { 'if-match': '"x"' } }
    await gateway.send({ method: 'PUT', url: '/closed?acl', headers: { 'x-amz-grant-write': `id="${gateway.users.other.accessKey}"` } })
    for (const key of ['private', 'absent']) {
      expect(await send('other', { ...put, url: `/closed/${key}` })).toMatchObject({ status: 403, code: 'AccessDenied' })
    }
    expect(await send('other', { ...put, url: '/writable/absent' })).toMatchObject({ status: 404, code: 'NoSuchKey' })
    await gateway.send({ method: 'PUT', url: '/closed?acl', headers: { 'x-amz-acl': 'private' } })
  })
})

test('a signature that is wrong is refused, also for what everyone may read', async () => {
  const get = { method: 'GET', url: '/readable/public' }
  const wrong = { ...gateway.users.other, secretKey: 'wrong' }
  expect(await gateway.send({ ...get, user: wrong })).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
  expect(await gateway.send({ ...get, user: { ...wrong, accessKey: 'nobody' } })).toMatchObject({ status: 403, code: 'InvalidAccessKeyId' })
  for (const [path, status] of [
    ['?X-Amz-Signature=abc', 400],
    ['?X-Amz-Algorithm=AWS4-HMAC-SHA256', 400],
    ['?X-Amz-Credential=a', 400],
    ['?X-Amz-SignedHeaders=host', 400],
    ['?X-Amz-Expires=60', 400],
    ['?x-amz-date=20260101T000000Z', 400],
    ['?x-amz-signature=abc', 400],
    ['?X-Amz-Security-Token=a', 400],
    ['?awsaccesskeyid=a', 400],
    ['?SIGNATURE=b', 400],
    ['?AWSAccessKeyId=a&Signature=b&Expires=1', 400],
    ['?Signature=b', 400],
  ] as const) {
    expect(await gateway.sendUnsigned('GET', `${get.url}${path}`)).toMatchObject({ status })
  }
  for (const authorization of ['', 'AWS a:b', 'Basic x', 'AWS4-HMAC-SHA256 Credential=x']) {
    expect(await gateway.sendUnsigned('GET', get.url, { authorization })).toMatchObject({ status: 400 })
  }
  const signed = encodeForm(
    [
      ['key', 'k'],
      ['policy', 'e30='],
      ['x-amz-signature', 'x'],
    ],
    { bytes: body },
  )
  expect(await gateway.sendUnsigned('POST', '/writable', signed.headers, signed.body)).toMatchObject({ status: 400 })
  expect(await gateway.sendUnsigned('GET', get.url)).toMatchObject({ status: 200, body })
})

test('an anonymous caller gets no headers of his choice, and his body is checked as a signed one', async () => {
  expect(await gateway.sendUnsigned('GET', '/readable/public?response-content-type=text/html')).toMatchObject({
    status: 400,
    code: 'InvalidRequest',
  })
  const put = (headers: Readonly<Record<string, string>>, sent = body) =>
    gateway.sendUnsigned('PUT', '/writable/checked', { 'content-length': String(sent.length), ...headers }, sent)
  expect(await put({ 'x-amz-content-sha256': hash('sha256', 'other') })).toMatchObject({ status: 400, code: 'XAmzContentSHA256Mismatch' })
  expect(await put({ 'x-amz-content-sha256': hash('sha256', body) })).toMatchObject({ status: 200 })
  expect(await put({ 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' })).toMatchObject({
    status: 400,
    code: 'InvalidArgument',
  })
  const framed = `c8\r\n${body}\r\n0\r\n\r\n`
  const framing = { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': '200' }
  expect(await put(framing, framed)).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'GET', url: '/writable/checked' })).toMatchObject({ status: 200, body })
})

test('a list that ends ends the access, and a deleted object is missing for those who may list', async () => {
  const client = gateway.client()
  const get = { method: 'GET', url: '/readable/ending' }
  await client.send(new PutObjectCommand({ Bucket: 'readable', Key: 'ending', Body: body, ACL: 'public-read' }))
  expect(await send('anonymous', get)).toMatchObject({ status: 200 })
  await client.send(new PutObjectAclCommand({ Bucket: 'readable', Key: 'ending', ACL: 'private' }))
  expect(await send('anonymous', get)).toMatchObject({ status: 403 })
  await client.send(new DeleteObjectCommand({ Bucket: 'readable', Key: 'ending' }))
  expect(await send('anonymous', get)).toMatchObject({ status: 404 })
})
