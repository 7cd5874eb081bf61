import { createHash, createHmac } from 'node:crypto'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import { readHeaders } from '../wire/headers.ts'
import { parseTarget } from '../wire/target.ts'
import { authenticate } from './authenticate.ts'
import type { SignatureRequest, Signer } from './authentication.ts'

const documented: Signer = { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const documentedNow = Date.UTC(2013, 4, 24)
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

interface Sent {
  method?: string
  url?: string
  headers?: Record<string, string>
  now?: number
}

function request({ method = 'GET', url = '/', headers = {}, now = documentedNow }: Sent): SignatureRequest<Signer> {
  const target = parseTarget(url, { host: undefined, virtualHostDomains: [] })
  return {
    method,
    rawPath: target.rawPath,
    rawQuery: target.rawQuery,
    query: target.query,
    headers: readHeaders(Object.entries(headers).flat()),
    now,
    region: 'us-east-1',
    findUser: (accessKey) => (accessKey === documented.accessKey ? documented : undefined),
  }
}

const credential = 'Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'

function authorization(signedHeaders: string, signature: string): string {
  return `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${signedHeaders},Signature=${signature}`
}

const getObject: Sent = {
  url: '/test.txt',
  headers: {
    Host: 'examplebucket.s3.amazonaws.com',
    Range: 'bytes=0-9',
    'x-amz-content-sha256': emptySha256,
    'x-amz-date': '20130524T000000Z',
    Authorization: authorization(
      'host;range;x-amz-content-sha256;x-amz-date',
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ),
  },
}

const published: [string, Sent][] = [
  ['GET object', getObject],
  [
    'PUT object',
    {
      method: 'PUT',
      url: '/test$file.text',
      headers: {
        Host: 'examplebucket.s3.amazonaws.com',
        Date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-date': '20130524T000000Z',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        'x-amz-content-sha256': createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
        Authorization: authorization(
          'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
          '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
        ),
      },
    },
  ],
  [
    'GET bucket lifecycle',
    {
      url: '/?lifecycle',
      headers: {
        Host: 'examplebucket.s3.amazonaws.com',
        'x-amz-date': '20130524T000000Z',
        'x-amz-content-sha256': emptySha256,
        Authorization: authorization(
          'host;x-amz-content-sha256;x-amz-date',
          'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
        ),
      },
    },
  ],
  [
    'list objects',
    {
      url: '/?max-keys=2&prefix=J',
      headers: {
        Host: 'examplebucket.s3.amazonaws.com',
        'x-amz-date': '20130524T000000Z',
        'x-amz-content-sha256': emptySha256,
        Authorization: authorization(
          'host;x-amz-content-sha256;x-amz-date',
          '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
        ),
      },
    },
  ],
  [
    'presigned GET',
    {
      url:
        '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
      headers: { Host: 'examplebucket.s3.amazonaws.com' },
    },
  ],
]

test.each(published)('accepts the example that AWS publishes for: %s', async (_, sent) => {
  const caller = await authenticate(request(sent))
  expect(caller?.user).toBe(documented)
})

test('accepts spaces after the commas of the Authorization header', async () => {
  const spaced = getObject.headers?.Authorization?.replaceAll(',', ', ') ?? ''
  const caller = await authenticate(request({ ...getObject, headers: { ...getObject.headers, Authorization: spaced } }))
  expect(caller?.payload).toEqual({ kind: 'hashed', sha256: emptySha256 })
})

test('a request without authentication is anonymous', async () => {
  expect(await authenticate(request({ headers: { host: 'localhost' } }))).toBeUndefined()
})

const signature = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'
const signedHeaders = 'host;range;x-amz-content-sha256;x-amz-date'

function withHeaders(changed: Record<string, string | undefined>): Sent {
  const headers = Object.entries({ ...getObject.headers, ...changed }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ...getObject, headers: Object.fromEntries(headers) }
}

function withAuthorization(text: string): Sent {
  return withHeaders({ Authorization: text })
}

const refusals: [string, Sent, string, Record<string, unknown>?][] = [
  ['version 2 signatures', withAuthorization('AWS AKIAIOSFODNN7EXAMPLE:c2ln'), 'InvalidRequest'],
  ['another scheme', withAuthorization('Basic YTpi'), 'InvalidArgument', { ArgumentName: 'Authorization' }],
  ['a missing signature', withAuthorization(`AWS4-HMAC-SHA256 ${credential},SignedHeaders=host`), 'AuthorizationHeaderMalformed'],
  ['a missing credential', withAuthorization('AWS4-HMAC-SHA256 SignedHeaders=host,Signature=x'), 'AuthorizationHeaderMalformed'],
  [
    'a credential with too few parts',
    withAuthorization(`AWS4-HMAC-SHA256 Credential=us-east-1/s3/aws4_request,SignedHeaders=host,Signature=x`),
    'AuthorizationHeaderMalformed',
  ],
  ['another service', withAuthorization(authorization(signedHeaders, signature).replace('/s3/', '/ec2/')), 'AuthorizationHeaderMalformed'],
  [
    'another terminal',
    withAuthorization(authorization(signedHeaders, signature).replace('aws4_request', 'aws5_request')),
    'AuthorizationHeaderMalformed',
  ],
  [
    'another region',
    withAuthorization(authorization(signedHeaders, signature).replace('us-east-1', 'eu-west-1')),
    'AuthorizationHeaderMalformed',
    { Region: 'us-east-1' },
  ],
  [
    'an unknown access key',
    withAuthorization(authorization(signedHeaders, signature).replace('7EXAMPLE', '7UNKNOWN')),
    'InvalidAccessKeyId',
    { AWSAccessKeyId: 'AKIAIOSFODNN7UNKNOWN' },
  ],
  ['no date at all', withHeaders({ 'x-amz-date': undefined }), 'AccessDenied'],
  ['an unreadable date', withHeaders({ 'x-amz-date': 'yesterday' }), 'AccessDenied'],
  [
    'a clock 901 s behind',
    { ...getObject, now: documentedNow + 901_000 },
    'RequestTimeTooSkewed',
    { RequestTime: '20130524T000000Z', ServerTime: '2013-05-24T00:15:01.000Z', MaxAllowedSkewMilliseconds: 900_000 },
  ],
  ['a clock 901 s ahead', { ...getObject, now: documentedNow - 901_000 }, 'RequestTimeTooSkewed'],
  [
    'a credential of another day',
    withAuthorization(authorization(signedHeaders, signature).replace('20130524', '20130523')),
    'SignatureDoesNotMatch',
  ],
  ['no payload hash', withHeaders({ 'x-amz-content-sha256': undefined }), 'InvalidRequest'],
  ['a malformed payload hash', withHeaders({ 'x-amz-content-sha256': 'abc' }), 'InvalidArgument'],
  [
    'elliptic-curve chunk signatures',
    withHeaders({ 'x-amz-content-sha256': 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' }),
    'NotImplemented',
  ],
  ['an unsigned x-amz header', withHeaders({ 'x-amz-acl': 'private' }), 'AccessDenied', { HeadersNotSigned: 'x-amz-acl' }],
  [
    'an unsigned host',
    withAuthorization(authorization('range;x-amz-content-sha256;x-amz-date', signature)),
    'AccessDenied',
    { HeadersNotSigned: 'host' },
  ],
  ['a changed header', withHeaders({ Range: 'bytes=0-10' }), 'SignatureDoesNotMatch', { SignatureProvided: signature }],
  ['a changed method', { ...getObject, method: 'HEAD' }, 'SignatureDoesNotMatch'],
  ['a changed path', { ...getObject, url: '/test.txt2' }, 'SignatureDoesNotMatch'],
  ['an added query', { ...getObject, url: '/test.txt?versionId=1' }, 'SignatureDoesNotMatch'],
  ['a shortened signature', withAuthorization(authorization(signedHeaders, signature.slice(1))), 'SignatureDoesNotMatch'],
  ['both forms of authentication', { ...getObject, url: '/test.txt?X-Amz-Signature=x' }, 'InvalidArgument'],
  ['a version 2 query', { url: '/k?AWSAccessKeyId=a&Signature=b&Expires=1' }, 'InvalidRequest'],
]

test.each(refusals)('rejects %s', async (_, sent, code, extras = {}) => {
  await expect(authenticate(request(sent))).rejects.toMatchObject({ code, extras })
})

test('the first request of a process is rejected for its empty date, as each later one', async () => {
  // A second instance of the module has served no request.
  const { authenticateHeader }: typeof import('./sigv4.ts') = await import(new URL('./sigv4.ts?second', import.meta.url).href)
  const empty = request(withHeaders({ 'x-amz-date': '' }))
  await expect(authenticateHeader(empty)).rejects.toMatchObject({ code: 'AccessDenied' })
  await authenticateHeader(request(getObject))
  await expect(authenticateHeader(empty)).rejects.toMatchObject({ code: 'AccessDenied' })
})

test('a clock exactly 900 s off is still accepted', async () => {
  for (const now of [documentedNow + 900_000, documentedNow - 900_000]) {
    expect(await authenticate(request({ ...getObject, now }))).toBeDefined()
  }
})

test('SignatureDoesNotMatch shows the canonical request so that a client can find its mistake', async () => {
  await expect(authenticate(request(withHeaders({ Range: 'bytes=0-1' })))).rejects.toMatchObject({
    extras: { CanonicalRequest: expect.stringContaining('range:bytes=0-1\n'), StringToSign: expect.stringContaining('20130524T000000Z') },
  })
})

class Sha256 {
  #hash
  constructor(secret?: Uint8Array | string) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret)
  }
  update(bytes: Uint8Array | string) {
    this.#hash.update(bytes)
  }
  async digest() {
    return new Uint8Array(this.#hash.digest())
  }
}

async function presign(
  path: string,
  query: Record<string, string>,
  expiresIn = 60,
): Promise<{ url: string; headers: Record<string, string> }> {
  const presigner = new S3RequestPresigner({
    region: 'us-east-1',
    credentials: { accessKeyId: documented.accessKey, secretAccessKey: documented.secretKey },
    sha256: Sha256 as never,
  })
  const headers = { host: 'localhost:8080', 'x-amz-meta-name': 'v' }
  const shape = { method: 'GET', protocol: 'http:', hostname: 'localhost', port: 8080, path, query, headers }
  const signed = await presigner.presign({ ...shape, fragment: undefined, body: undefined } as never, {
    expiresIn,
    signingDate: new Date(documentedNow),
    hoistableHeaders: new Set(['x-amz-meta-name']),
  })
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(signed.query ?? {})) text.append(name, String(value))
  return { url: `${signed.path}?${text.toString().replaceAll('+', '%20')}`, headers: signed.headers }
}

test('accepts URLs of the AWS presigner and treats hoisted headers as headers', async () => {
  const { url, headers } = await presign('/bucket/a%20key%2B%C3%A9', {
    'response-content-type': 'text/plain; charset=utf-8',
    versionId: 'a/b',
  })
  const caller = await authenticate(request({ url, headers }))
  expect(caller?.user).toBe(documented)
  expect(caller?.headers.get('x-amz-meta-name')).toBe('v')
})

const changes: [string, (url: string) => string, Sent, string][] = [
  ['an expired URL', (url) => url, { now: documentedNow + 61_000 }, 'AccessDenied'],
  ['a URL from the future', (url) => url, { now: documentedNow - 901_000 }, 'AccessDenied'],
  ['a changed expiry', (url) => url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'), {}, 'SignatureDoesNotMatch'],
  ['an expiry above a week', (url) => url.replace('X-Amz-Expires=60', 'X-Amz-Expires=604801'), {}, 'AuthorizationQueryParametersError'],
  ['a negative expiry', (url) => url.replace('X-Amz-Expires=60', 'X-Amz-Expires=-1'), {}, 'AuthorizationQueryParametersError'],
  [
    'an expiry that is not a number',
    (url) => url.replace('X-Amz-Expires=60', 'X-Amz-Expires=soon'),
    {},
    'AuthorizationQueryParametersError',
  ],
  ['a missing parameter', (url) => url.replace(/&?X-Amz-Date=[^&]*/, ''), {}, 'AuthorizationQueryParametersError'],
  ['another algorithm', (url) => url.replace('AWS4-HMAC-SHA256', 'AWS4-HMAC-SHA1'), {}, 'AuthorizationQueryParametersError'],
  ['another region', (url) => url.replace('us-east-1', 'us-east-2'), {}, 'AuthorizationQueryParametersError'],
  ['an unsigned x-amz header', (url) => url, { headers: { host: 'localhost:8080', 'x-amz-acl': 'private' } }, 'AccessDenied'],
]

test.each(changes)('rejects a presigned URL with %s', async (_, change, sent, code) => {
  const { url, headers } = await presign('/bucket/key', {})
  await expect(authenticate(request({ url: change(url), headers, ...sent }))).rejects.toMatchObject({ code })
})

test.each([
  ['a line break in a value', { 'x-amz-meta-a': 'v\r\nset-cookie: a=b' }, 'x-amz-meta-a'],
  ['a control character in a value', { 'x-amz-tagging': 'a=\u0001' }, 'x-amz-tagging'],
  ['a line break in a name', { 'x-amz-meta-a\r\nb': 'v' }, 'x-amz-meta-a\r\nb'],
  ['a space in a name', { 'x-amz-meta-a b': 'v' }, 'x-amz-meta-a b'],
])('rejects a presigned URL with %s', async (_, query, name) => {
  const { url, headers } = await presign('/bucket/key', query)
  await expect(authenticate(request({ url, headers }))).rejects.toMatchObject({ code: 'InvalidArgument', extras: { ArgumentName: name } })
})

test('checksums in a presigned URL are not treated as headers', async () => {
  const { url, headers } = await presign('/bucket/key', { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-sdk-checksum-algorithm': 'CRC32' })
  const caller = await authenticate(request({ url, headers }))
  expect(caller?.headers.has('x-amz-checksum-crc32')).toBe(false)
  expect(caller?.headers.has('x-amz-sdk-checksum-algorithm')).toBe(false)
})
