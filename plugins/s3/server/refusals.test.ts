import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { chunkedBody } from '../testing/chunked-body.ts'
import { type SignedRequestOptions, signedRequest } from '../testing/signed-request.ts'
import { admin, owner, plain, startTestServer } from '../testing/test-server.ts'

let server: Awaited<ReturnType<typeof startTestServer>>

beforeAll(async () => {
  server = await startTestServer()
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
})

afterAll(() => server[Symbol.asyncDispose]())

// A rejected request must not store or open anything.
afterEach(async () => {
  expect((await server.storage.objects.list({ bucket: 'photos', limit: 1000 })).entries).toEqual([])
  await expect.poll(() => server.storage.openCount()).toBe(0)
})

const content = Buffer.alloc(200, 'x')
const putContent: SignedRequestOptions = { method: 'PUT', url: '/photos/key', body: content, user: owner }

type Refusal = [what: string, request: Partial<SignedRequestOptions>, code: string, status: number]

const signatures: Refusal[] = [
  ['a wrong secret', { user: { ...owner, secretKey: 'wrong' } }, 'SignatureDoesNotMatch', 403],
  ['a wrong secret, for a missing bucket', { user: { ...owner, secretKey: 'wrong' }, url: '/absent/key' }, 'SignatureDoesNotMatch', 403],
  ['an unknown access key', { user: { ...owner, accessKey: 'nobody' } }, 'InvalidAccessKeyId', 403],
  ['a clock 16 minutes behind', { now: Date.now() - 960_000 }, 'RequestTimeTooSkewed', 403],
  ['a clock 16 minutes ahead', { now: Date.now() + 960_000 }, 'RequestTimeTooSkewed', 403],
  ['a header changed on the way', { unsignedHeaders: { 'x-amz-meta-added': 'v' } }, 'AccessDenied', 403],
  ['no signature', { unsignedHeaders: { authorization: '' } }, 'InvalidArgument', 400],
  ['a version 2 signature', { unsignedHeaders: { authorization: 'AWS key:signature' } }, 'InvalidRequest', 400],
  ['a user that does not own the bucket', { user: plain }, 'AccessDenied', 403],
]

const keys: Refusal[] = [
  ['a key of 1025 bytes', { url: `/photos/${'k'.repeat(1025)}` }, 'KeyTooLongError', 400],
  ['a key with NUL', { url: '/photos/a%00b' }, 'InvalidArgument', 400],
  ['a key that is not UTF-8', { url: '/photos/%ff' }, 'InvalidURI', 400],
  ['a missing bucket', { url: '/absent/key' }, 'NoSuchBucket', 404],
  ['an invalid bucket name', { url: '/A..b/key' }, 'NoSuchBucket', 404],
]

const bodies: Refusal[] = [
  ['126 bytes', { body: content.subarray(0, 126) }, 'EntityTooSmall', 400],
  ['no bytes', { body: '', unsignedHeaders: { 'content-length': '0' } }, 'EntityTooSmall', 400],
  ['1,065,353,217 declared bytes', { unsignedHeaders: { 'content-length': '1065353217' } }, 'EntityTooLarge', 400],
  ['no length', { body: '' }, 'MissingContentLength', 411],
  ['a payload hash named like an inherited member', { payload: 'constructor' }, 'InvalidArgument', 400],
  ['a payload hash named __proto__', { payload: '__proto__' }, 'InvalidArgument', 400],
  ['a payload hash named like a method', { payload: 'toString' }, 'InvalidArgument', 400],
  ['a body that differs from its hash', { payload: 'a'.repeat(64) }, 'XAmzContentSHA256Mismatch', 400],
  ['a wrong Content-MD5', { headers: { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' } }, 'BadDigest', 400],
  ['a malformed Content-MD5', { headers: { 'content-md5': 'zzz' } }, 'InvalidDigest', 400],
  ['a wrong checksum', { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } }, 'BadDigest', 400],
  ['two checksums', { headers: { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' } }, 'InvalidRequest', 400],
  ['too much metadata', { headers: { 'x-amz-meta-a': 'v'.repeat(2048) } }, 'MetadataTooLarge', 400],
  ['a storage class', { headers: { 'x-amz-storage-class': 'GLACIER' } }, 'InvalidStorageClass', 400],
  ['encryption', { headers: { 'x-amz-server-side-encryption': 'AES256' } }, 'NotImplemented', 501],
  ['a public access list', { headers: { 'x-amz-acl': 'public-read' } }, 'AccessDenied', 403],
  ['an access list of an unknown name', { headers: { 'x-amz-acl': 'publik' } }, 'InvalidArgument', 400],
  ['a reserved tag', { headers: { 'x-amz-tagging': 'aws:a=b' } }, 'InvalidTag', 400],
  ['another expected owner', { headers: { 'x-amz-expected-bucket-owner': 'somebody' } }, 'AccessDenied', 403],
]

test.each([...signatures, ...keys, ...bodies])('a PUT with %s is rejected with S3 XML', async (_, request, code, status) => {
  const answer = await server.send({ ...putContent, ...request })
  expect(answer).toMatchObject({ code, status })
  expect(answer.headers.get('content-type')).toBe('application/xml')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('x-amz-request-id')).toMatch(/^[0-9A-F]{16}$/)
  expect(answer.body).toContain(`<RequestId>${answer.headers.get('x-amz-request-id')}</RequestId>`)
})

const chunks = [Buffer.alloc(70, 'a'), Buffer.alloc(80, 'b')]
const signedChunks = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
const unsignedTrailer = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
const decodedLength = { 'x-amz-decoded-content-length': '150' }
const trailer = { ...decodedLength, 'x-amz-trailer': 'x-amz-checksum-crc32' }

const chunked: Refusal[] = [
  [
    'a flipped byte in a signed chunk',
    {
      payload: signedChunks,
      headers: decodedLength,
      bodyOf: (framing) => {
        const { wire } = chunkedBody('signed', chunks, framing)
        wire[100] = (wire[100] ?? 0) ^ 1
        return wire
      },
    },
    'SignatureDoesNotMatch',
    403,
  ],
  [
    'chunks signed by another seed',
    { payload: signedChunks, headers: decodedLength, bodyOf: () => chunkedBody('signed', chunks).wire },
    'SignatureDoesNotMatch',
    403,
  ],
  [
    'chunks without their end',
    { payload: signedChunks, headers: decodedLength, bodyOf: (framing) => chunkedBody('signed', chunks, framing).wire.subarray(0, -90) },
    'IncompleteBody',
    400,
  ],
  ['a malformed chunk size', { payload: unsignedTrailer, headers: trailer, body: 'zz\r\nabc\r\n0\r\n\r\n' }, 'IncompleteBody', 400],
  [
    'more bytes than announced',
    { payload: unsignedTrailer, headers: trailer, body: `ff\r\n${'a'.repeat(255)}\r\n0\r\n\r\n` },
    'IncompleteBody',
    400,
  ],
  [
    'a trailer that was not announced',
    { payload: unsignedTrailer, headers: decodedLength, body: `96\r\n${'a'.repeat(150)}\r\n0\r\nx-amz-checksum-crc32:AA==\r\n\r\n` },
    'MalformedTrailerError',
    400,
  ],
  [
    'no trailer',
    { payload: unsignedTrailer, headers: trailer, body: `96\r\n${'a'.repeat(150)}\r\n0\r\n\r\n` },
    'MalformedTrailerError',
    400,
  ],
  [
    'a wrong checksum in the trailer',
    { payload: unsignedTrailer, headers: trailer, body: `96\r\n${'a'.repeat(150)}\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n` },
    'BadDigest',
    400,
  ],
  [
    'a malformed checksum in the trailer',
    { payload: unsignedTrailer, headers: trailer, body: `96\r\n${'a'.repeat(150)}\r\n0\r\nx-amz-checksum-crc32:AA\r\n\r\n` },
    'InvalidRequest',
    400,
  ],
  [
    'a trailer other than a checksum',
    { payload: unsignedTrailer, headers: { ...decodedLength, 'x-amz-trailer': 'x-amz-acl' }, body: '0\r\n\r\n' },
    'InvalidRequest',
    400,
  ],
  ['no decoded length', { payload: unsignedTrailer, body: '0\r\n\r\n' }, 'MissingContentLength', 411],
  [
    'a negative decoded length',
    { payload: unsignedTrailer, headers: { 'x-amz-decoded-content-length': '-1' }, body: '0\r\n\r\n' },
    'InvalidArgument',
    400,
  ],
  [
    '1,065,353,217 decoded bytes',
    { payload: unsignedTrailer, headers: { 'x-amz-decoded-content-length': '1065353217' }, body: '0\r\n\r\n' },
    'EntityTooLarge',
    400,
  ],
  [
    '126 decoded bytes',
    { payload: unsignedTrailer, headers: { 'x-amz-decoded-content-length': '126' }, body: '0\r\n\r\n' },
    'EntityTooSmall',
    400,
  ],
  ['elliptic-curve signatures', { payload: 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD', body: 'x' }, 'NotImplemented', 501],
]

test.each(chunked)('a chunked PUT with %s is rejected', async (_, request, code, status) => {
  expect(await server.send({ ...putContent, ...request })).toMatchObject({ code, status })
})

const reads: [string, string, string, string, number][] = [
  ['GET', '/photos/absent', 'owner', 'NoSuchKey', 404],
  ['GET', '/photos?max-keys=-1', 'owner', 'InvalidArgument', 400],
  ['GET', '/photos?list-type=2&continuation-token=YQBi', 'owner', 'InvalidArgument', 400],
  ['GET', '/photos?list-type=2&continuation-token=*', 'owner', 'InvalidArgument', 400],
  ['GET', '/photos?encoding-type=gzip', 'owner', 'InvalidArgument', 400],
  ['GET', '/?max-buckets=0', 'owner', 'InvalidArgument', 400],
  ['GET', '/photos/k?uploadId=1', 'owner', 'NoSuchUpload', 404],
  ['GET', '/photos?versions&version-id-marker=x', 'owner', 'InvalidArgument', 400],
  ['GET', '/photos?versions&max-keys=x', 'owner', 'InvalidArgument', 400],
  ['GET', '/photos?versions', 'plain', 'AccessDenied', 403],
  ['GET', '/photos?abac', 'owner', 'NotImplemented', 501],
  ['GET', '/photos/k?legal-hold', 'owner', 'InvalidRequest', 400],
  ['GET', '/photos/k?legal-hold', 'plain', 'AccessDenied', 403],
  ['GET', '/photos/k?retention', 'owner', 'InvalidRequest', 400],
  ['PUT', '/photos/k?retention', 'owner', 'NotImplemented', 501],
  ['PUT', '/photos/k?legal-hold', 'owner', 'NotImplemented', 501],
  ['PUT', '/photos/k?partNumber=1&uploadId=u', 'owner', 'NoSuchUpload', 404],
  ['PUT', '/photos/k?partNumber=1', 'owner', 'InvalidArgument', 400],
  ['PUT', '/photos/k?renameObject', 'owner', 'NotImplemented', 501],
  ['PUT', '/photos/k?encryption', 'owner', 'NotImplemented', 501],
  ['PUT', '/photos?policy', 'owner', 'NotImplemented', 501],
  ['PUT', '/photos?policy', 'plain', 'AccessDenied', 403],
  ['PUT', '/absent?policy', 'owner', 'NoSuchBucket', 404],
  ['PUT', '/photos/k?policy', 'owner', 'MethodNotAllowed', 405],
  ['PUT', '/newbucket?retention', 'owner', 'MethodNotAllowed', 405],
  ['DELETE', '/photos/k?cors', 'owner', 'MethodNotAllowed', 405],
  ['DELETE', '/photos?uploadId=x', 'owner', 'MethodNotAllowed', 405],
  ['DELETE', '/photos?versionId=x', 'owner', 'InvalidArgument', 400],
  ['DELETE', '/photos/k?partNumber=1', 'owner', 'InvalidArgument', 400],
  ['PUT', '/photos/k?uploadId=u', 'owner', 'InvalidArgument', 400],
  ['PUT', '/photos/k?acl&tagging', 'owner', 'InvalidRequest', 400],
  ['POST', '/photos/k?uploads', 'plain', 'AccessDenied', 403],
  ['POST', '/photos?delete', 'owner', 'InvalidRequest', 400],
  ['POST', '/photos', 'owner', 'PreconditionFailed', 412],
  ['POST', '/photos/k', 'owner', 'MethodNotAllowed', 405],
  ['DELETE', '/photos', 'plain', 'AccessDenied', 403],
  ['DELETE', '/photos/k?versionId=', 'owner', 'InvalidArgument', 400],
  ['DELETE', '/photos/k?versionId=a%20b', 'owner', 'InvalidArgument', 400],
  ['DELETE', '/photos/k?versionId=x', 'plain', 'AccessDenied', 403],
  ['DELETE', '/', 'owner', 'MethodNotAllowed', 405],
  ['PATCH', '/photos/k', 'owner', 'MethodNotAllowed', 405],
  ['PROPFIND', '/photos/k', 'owner', 'MethodNotAllowed', 405],
  ['OPTIONS', '/photos/k', 'owner', 'BadRequest', 400],
  ['GET', '/photos', 'plain', 'AccessDenied', 403],
  ['PUT', '/newbucket', 'plain', 'AccessDenied', 403],
  ['PUT', '/photos', 'admin', 'BucketAlreadyExists', 409],
]

test.each(reads)('%s %s by the %s is rejected with %s', async (...[method, url, name, code, status]) => {
  const user = { owner, plain, admin }[name] ?? owner
  expect(await server.send({ method, url, user })).toMatchObject({ code, status })
})

test('a copy is not mistaken for a write', async () => {
  const copy = { ...putContent, body: '', headers: { 'x-amz-copy-source': '/photos/other' } }
  expect(await server.send(copy)).toMatchObject({ code: 'NoSuchKey', status: 404 })
  expect(await server.send({ ...copy, method: 'GET' })).toMatchObject({ code: 'InvalidArgument', status: 400 })
})

test('an anonymous request is denied', async () => {
  for (const line of ['GET /', 'GET /photos', 'GET /photos/k', 'HEAD /photos/k']) {
    const answer = await server.sendRaw(`${line} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(answer.status).toBe(403)
  }
})

test('a rejected HEAD has no body', async () => {
  const answer = await server.send({ method: 'HEAD', url: '/photos/absent', user: owner })
  expect(answer).toMatchObject({ status: 404, body: '' })
})

const createConfigurations: [string, string, string][] = [
  [
    'another region',
    '<CreateBucketConfiguration><LocationConstraint>eu-west-3</LocationConstraint></CreateBucketConfiguration>',
    'InvalidLocationConstraint',
  ],
  ['no XML', 'hello', 'MalformedXML'],
  ['a document type', '<!DOCTYPE x><CreateBucketConfiguration/>', 'MalformedXML'],
  ['another document', '<Delete/>', 'MalformedXML'],
  ['a huge document', `<CreateBucketConfiguration>${' '.repeat(70_000)}</CreateBucketConfiguration>`, 'MalformedXML'],
]

test.each(createConfigurations)('a bucket with %s is not created', async (_, body, code) => {
  expect(await server.send({ method: 'PUT', url: '/newbucket', user: owner, body })).toMatchObject({ code, status: 400 })
  expect(server.storage.buckets.find('newbucket')).toBeUndefined()
})

test('a rejected client that waits for 100 Continue does not get it', async () => {
  const expectation = { expect: '100-continue', 'content-length': '1000000' }
  const wrong = { ...putContent, body: '', payload: 'UNSIGNED-PAYLOAD', user: { ...owner, secretKey: 'wrong' } }
  const refused = await server.send({ ...wrong, unsignedHeaders: expectation })
  expect(refused).toMatchObject({ wasContinued: false, status: 403, code: 'SignatureDoesNotMatch' })
  expect(refused.headers.get('connection')).toBe('close')
  const tooLarge = await server.send({ ...wrong, user: owner, unsignedHeaders: { ...expectation, 'content-length': '1065353217' } })
  expect(tooLarge).toMatchObject({ wasContinued: false, code: 'EntityTooLarge' })
})

test('a large unread body closes the connection after the response, a small one keeps it open', async () => {
  const wrong = { ...putContent, user: { ...owner, secretKey: 'wrong' } }
  const small = await server.send({ ...wrong, body: Buffer.alloc(100_000) })
  expect(small).toMatchObject({ status: 403 })
  expect(small.headers.get('connection')).not.toBe('close')
  const large = await server.send({ ...wrong, body: Buffer.alloc(5_000_000) })
  expect(large).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
  expect(large.headers.get('connection')).toBe('close')
})

test('a broken chunk before a large remaining body is answered while the client still sends', async () => {
  const bodyOf = () => Buffer.concat([chunkedBody('signed', chunks).wire.subarray(0, 300), Buffer.alloc(5_000_000)])
  const headers = { 'x-amz-decoded-content-length': '5000000' }
  const answer = await server.send({ ...putContent, payload: signedChunks, headers, bodyOf })
  expect(answer).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
  expect(answer.headers.get('connection')).toBe('close')
})

test('requests that the HTTP parser rejects are answered with S3 XML', async () => {
  const overflow = await server.sendRaw(`GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`)
  expect(overflow).toMatchObject({ status: 400, code: 'RequestHeaderSectionTooLarge' })
  expect(await server.sendRaw('GET /photos/%4 HTTP/1.1\r\nHost: x\r\n\r\n')).toMatchObject({ status: 400, code: 'InvalidURI' })
  expect(await server.sendRaw('GET /a b HTTP/1.1\r\nHost: x\r\n\r\n')).toMatchObject({ status: 400 })
  expect(await server.sendRaw('GET / HTTP/1.1\r\n\r\n')).toMatchObject({ status: 400, code: 'BadRequest' })
  expect(await server.sendRaw('nonsense\r\n\r\n')).toMatchObject({ status: 400, code: 'BadRequest' })
})

test('unusual content types and expectations are ignored', async () => {
  for (const type of ['', 'binary', 'application/json']) {
    const answer = await server.send({
      ...putContent,
      url: '/photos/absent',
      method: 'GET',
      body: '',
      unsignedHeaders: { 'content-type': type, expect: 'x' },
    })
    expect(answer).toMatchObject({ code: 'NoSuchKey' })
  }
})

test('a body without bytes for the idle timeout is rejected', async () => {
  await using impatient = await startTestServer({ settings: { body_idle_timeout: 50 } })
  await impatient.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const answer = await impatient.send({
    ...putContent,
    payload: 'UNSIGNED-PAYLOAD',
    body: 'half',
    unsignedHeaders: { 'content-length': '200' },
  })
  expect(answer).toMatchObject({ code: 'RequestTimeout', status: 400 })
  expect(answer.headers.get('connection')).toBe('close')
})

test('a client that disconnects during its body leaves no object', async () => {
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  const { head } = signedRequest(server.port, {
    ...putContent,
    body: '',
    payload: 'UNSIGNED-PAYLOAD',
    unsignedHeaders: { 'content-length': '200' },
  })
  socket.end(`${head}half`)
  await once(socket.resume(), 'close')
  expect(await server.storage.versionsOf('photos', 'key')).toEqual([])
})

test('storage failures are answered with S3 codes', async () => {
  const failures = [
    ['cache_full', 'InsufficientStorage', 507, undefined],
    ['database_full', 'InsufficientStorage', 507, undefined],
    ['cache_busy', 'SlowDown', 503, '5'],
    ['database_busy', 'SlowDown', 503, '5'],
    ['database_unreachable', 'ServiceUnavailable', 503, '5'],
    ['service_unavailable', 'ServiceUnavailable', 503, '5'],
  ] as const
  for (const [failure, code, status, retryAfter] of failures) {
    server.storage.failWith(failure)
    const answer = await server.send(putContent)
    expect(answer).toMatchObject({ code, status })
    expect(answer.headers.get('retry-after')).toBe(retryAfter)
  }
  server.storage.failWith(undefined)
})

test('requests above the limit get SlowDown', async () => {
  await using narrow = await startTestServer({ server: { max_requests: 1 } })
  await narrow.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
  const waiting = connect(narrow.port, '127.0.0.1')
  const pending = signedRequest(narrow.port, {
    ...putContent,
    body: '',
    payload: 'UNSIGNED-PAYLOAD',
    unsignedHeaders: { expect: '100-continue', 'content-length': '200' },
  })
  waiting.write(pending.head)
  await once(waiting, 'data')
  expect(await narrow.send({ method: 'GET', url: '/', user: owner })).toMatchObject({ code: 'SlowDown', status: 503 })
  waiting.write(content)
  await once(waiting, 'data')
  waiting.destroy()
  expect(await narrow.storage.versionsOf('photos', 'key')).toHaveLength(1)
})

test('damaged forms of senders without a signature keep no place among the running requests', async () => {
  await using narrow = await startTestServer({ server: { max_requests: 2 } })
  const head = (length: number) =>
    `POST /anything HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`
  const body = '--b--\r\n--bx'
  const forms = await Promise.all([1, 2].map(() => narrow.sendRaw(head(body.length), body)))
  expect(forms.map(({ status, code }) => [status, code])).toEqual([
    [400, 'InvalidArgument'],
    [400, 'InvalidArgument'],
  ])
  expect(await narrow.send({ method: 'GET', url: '/', user: owner })).toMatchObject({ status: 200 })
})
