import { createHash } from 'node:crypto'
import {
  CreateBucketCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectVersionsCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/test-gateway.ts'
import { encodeForm, exactPolicy, signForm } from '../../testing/upload-form.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>
let client: S3Client
const bucket = 'forms'
const bytes = 'x'.repeat(200)

beforeAll(async () => {
  gateway = await startTestGateway()
  client = gateway.client()
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  await client.send(new CreateBucketCommand({ Bucket: 'another' }))
})

afterAll(() => gateway[Symbol.asyncDispose]())

type Fields = Readonly<Record<string, string>>

interface Post extends Partial<Omit<Parameters<typeof signForm>[0], 'fields'>> {
  readonly file?: { readonly name?: string; readonly bytes: string | Buffer } | null
  readonly after?: Parameters<typeof encodeForm>[2]
  /** Changes the signed fields. */
  readonly change?: (fields: ReturnType<typeof signForm>) => ReturnType<typeof signForm>
  readonly url?: string
  readonly headers?: Fields
}

/** Posts a signed form, by default as the owner of the bucket. */
function post(
  fields: Fields,
  { file = { bytes }, after, change = (same) => same, url = `/${bucket}`, headers = {}, ...signing }: Post = {},
) {
  const signed = signForm({ user: gateway.users.owner, bucket, fields, ...signing })
  const form = encodeForm(change(signed), file ?? undefined, after)
  return gateway.sendUnsigned('POST', url, { ...form.headers, ...headers }, form.body)
}

const read = async (Key: string) => (await client.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body?.transformToString()

test('a form of the JavaScript SDK is uploaded by a browser', async () => {
  const { url, fields } = await createPresignedPost(client as never, {
    Bucket: bucket,
    Key: 'sdk/${filename}',
    Fields: { acl: 'private', 'x-amz-meta-color': 'blue', 'Content-Type': 'text/plain' },
    Conditions: [
      ['content-length-range', 100, 1000],
      ['starts-with', '$Content-Type', 'text/'],
    ],
    Expires: 60,
  })
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([bytes], { type: 'image/png' }), 'naïve photo.txt')
  const response = await fetch(url, { method: 'POST', body: form, headers: { origin: 'http://example.org' } })
  expect([response.status, await response.text()]).toEqual([204, ''])
  expect(response.headers.get('etag')).toBe(`"${createHash('md5').update(bytes).digest('hex')}"`)
  const stored = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'sdk/naïve photo.txt' }))
  expect(stored).toMatchObject({
    ContentType: 'text/plain',
    Metadata: { color: 'blue' },
    VersionId: response.headers.get('x-amz-version-id'),
  })
  expect(await stored.Body?.transformToString()).toBe(bytes)
  const { pathname } = new URL(response.headers.get('location') ?? '')
  expect(pathname).toBe(`/${bucket}/sdk/na%C3%AFve%20photo.txt`)
})

test('a form sets the headers, tags and checksum of the object', async () => {
  const sha256 = createHash('sha256').update(bytes).digest('base64')
  const fields = {
    KEY: 'all',
    'Cache-Control': 'no-store',
    'Content-Disposition': 'inline',
    'Content-Encoding': 'gzip',
    Expires: 'Thu, 01 Dec 2094 16:00:00 GMT',
    'X-Amz-Meta-Name': 'Zoë',
    acl: '',
    tagging: '<Tagging><TagSet><Tag><Key>color</Key><Value>blue</Value></Tag></TagSet></Tagging>',
    'x-amz-checksum-sha256': sha256,
    'x-ignore-this': 'with no effect',
  }
  expect(await post(fields)).toMatchObject({ status: 204 })
  const stored = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'all', ChecksumMode: 'ENABLED' }))
  expect(stored).toMatchObject({
    CacheControl: 'no-store',
    ContentDisposition: 'inline',
    ContentEncoding: 'gzip',
    ExpiresString: 'Thu, 01 Dec 2094 16:00:00 GMT',
    ContentType: 'binary/octet-stream',
    ChecksumSHA256: sha256,
  })
  expect(Buffer.from(stored.Metadata?.name ?? '', 'latin1').toString()).toBe('Zoë')
  expect((await client.send(new GetObjectTaggingCommand({ Bucket: bucket, Key: 'all' }))).TagSet).toEqual([{ Key: 'color', Value: 'blue' }])
})

test('the form chooses the answer to success', async () => {
  const created = await post({ key: 'a b&c', success_action_status: '201' })
  expect(created).toMatchObject({ status: 201 })
  const etag = createHash('md5').update(bytes).digest('hex')
  expect(created.body).toContain(`<PostResponse><Location>http://`)
  expect(created.body).toContain(
    `/${bucket}/a%20b%26c</Location><Bucket>${bucket}</Bucket><Key>a b&amp;c</Key><ETag>&quot;${etag}&quot;</ETag>`,
  )
  expect(await post({ key: 'k', success_action_status: '200' })).toMatchObject({ status: 200, body: '' })
  expect(await post({ key: 'k', success_action_status: '404' })).toMatchObject({ status: 204 })
  const redirected = await post({ key: 'a b&c', success_action_redirect: 'https://example.org/done?from=form' })
  expect(redirected.status).toBe(303)
  expect(redirected.headers.get('location')).toBe(`https://example.org/done?from=form&bucket=${bucket}&key=a%20b%26c&etag=%22${etag}%22`)
  for (const success_action_redirect of ['javascript:alert(1)', '/relative', 'https://', 'https:example.org', 'http:/x', '//x']) {
    expect(await post({ key: 'k', success_action_redirect })).toMatchObject({ status: 204 })
  }
})

test('the name of the file is put into the key and the redirect only, and the policy holds for the result', async () => {
  const fields = { key: 'named/${filename}', 'x-amz-meta-name': '${filename}', success_action_redirect: 'https://example.org/${filename}' }
  const policy = (prefix: string) => {
    const { conditions, ...rest } = exactPolicy({}, bucket, Date.now(), anyOfSigning)
    const any = Object.keys(fields).map((name) => ['starts-with', `$${name}`, ''])
    return { policy: { ...rest, conditions: [...conditions, ...any, ['starts-with', '$key', prefix]] } }
  }
  const answer = await post(fields, policy('named/photo'))
  expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringMatching(/^https:\/\/example\.org\/photo\.txt\?/)])
  const { Metadata } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'named/photo.txt' }))
  expect(Metadata).toEqual({ name: '${filename}' })
  expect(await post(fields, policy('named/$'))).toMatchObject({ status: 403, code: 'AccessDenied' })
  // Each of these would grow to 12 MB and more.
  const long = { file: { name: 'n'.repeat(4000), bytes }, ...policy('') }
  const many = '${filename}'.repeat(3000)
  expect(await post({ ...fields, key: many }, long)).toMatchObject({ status: 400, code: 'KeyTooLongError' })
  expect(await post({ ...fields, key: 'k', success_action_redirect: `https://example.org/${many}` }, long)).toMatchObject({
    status: 400,
    code: 'InvalidArgument',
  })
  expect(await post({ ...fields, success_action_redirect: '', key: 'k', 'x-ignore-this': many }, long)).toMatchObject({ status: 204 })
})

test('fields after the file are ignored', async () => {
  expect(
    await post(
      { key: 'before' },
      {
        after: [
          ['key', 'after'],
          ['acl', 'public-read'],
        ],
      },
    ),
  ).toMatchObject({ status: 204 })
  expect(await read('before')).toBe(bytes)
})

test('a large file is stored as it was sent', async () => {
  const large = Buffer.alloc(3_000_000, 'abcdefg\r\n--')
  expect(await post({ key: 'large' }, { file: { bytes: large } })).toMatchObject({ status: 204 })
  expect((await read('large')) === large.toString()).toBe(true)
})

const without = (name: string): Pick<Post, 'change'> => ({ change: (fields) => fields.filter(([field]) => field !== name) })
const replaced = (name: string, value: string): Pick<Post, 'change'> => ({
  change: (fields) => fields.map(([field, old]) => [field, field === name ? value : old]),
})
const hour = 3_600_000
const anyOfSigning = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date'].map((name) => ['starts-with', `$${name}`, ''])

type Refusal = [name: string, fields: Fields, options: () => Post, status: number, code: string]

/** Stored by no other test. */
const refusedKey = 'refused'

const refusals: Refusal[] = [
  ['without a key', {}, () => ({}), 400, 'InvalidArgument'],
  ['with an empty key', { key: '' }, () => ({}), 400, 'InvalidArgument'],
  ['with a long key', { key: refusedKey.repeat(1025) }, () => ({}), 400, 'KeyTooLongError'],
  ['with too much metadata', { key: refusedKey, 'x-amz-meta-a': 'v'.repeat(2048) }, () => ({}), 400, 'MetadataTooLarge'],
  ['with a long header', { key: refusedKey, 'Cache-Control': 'v'.repeat(9000) }, () => ({}), 400, 'RequestHeaderSectionTooLarge'],
  ['without a file', { key: refusedKey }, () => ({ file: null }), 400, 'InvalidArgument'],
  ['with a key only after the file', {}, () => ({ after: [['key', refusedKey]] }), 400, 'InvalidArgument'],
  ['without a policy', { key: refusedKey }, () => without('policy'), 400, 'InvalidArgument'],
  ['without a signature', { key: refusedKey }, () => without('x-amz-signature'), 400, 'InvalidArgument'],
  ['without a date', { key: refusedKey }, () => without('x-amz-date'), 400, 'InvalidArgument'],
  ['of another algorithm', { key: refusedKey }, () => replaced('x-amz-algorithm', 'AWS4-HMAC-SHA1'), 400, 'InvalidArgument'],
  ['with a malformed credential', { key: refusedKey }, () => replaced('x-amz-credential', 'me'), 400, 'InvalidArgument'],
  [
    'of another region',
    { key: refusedKey },
    () => replaced('x-amz-credential', 'me/20260101/mars/s3/aws4_request'),
    400,
    'InvalidArgument',
  ],
  ['signed by version 2', { key: refusedKey, AWSAccessKeyId: 'me' }, () => ({}), 400, 'InvalidRequest'],
  ['of an unknown user', { key: refusedKey }, () => ({ user: { accessKey: 'nobody', secretKey: 's' } }), 403, 'InvalidAccessKeyId'],
  ['with a wrong signature', { key: refusedKey }, () => replaced('x-amz-signature', '0'.repeat(64)), 403, 'SignatureDoesNotMatch'],
  ['with a changed policy', { key: refusedKey }, () => replaced('policy', 'e30='), 403, 'SignatureDoesNotMatch'],
  ['with a changed field', { key: refusedKey }, () => replaced('key', `${refusedKey}-changed`), 403, 'AccessDenied'],
  ['with an extra field', { key: refusedKey }, () => ({ change: (fields) => [...fields, ['acl', 'private']] }), 403, 'AccessDenied'],
  ['signed more than an hour ago', { key: refusedKey }, () => ({ now: Date.now() - hour - 1000 }), 403, 'AccessDenied'],
  ['signed in the future', { key: refusedKey }, () => ({ now: Date.now() + hour }), 403, 'AccessDenied'],
  ['with a policy that is no JSON', { key: refusedKey }, () => ({ policy: '{' }), 400, 'InvalidPolicyDocument'],
  ['of another bucket', { key: refusedKey }, () => ({ bucket: 'another' }), 403, 'AccessDenied'],
  [
    'that names another bucket',
    { key: refusedKey, bucket: 'another' },
    () => ({ policy: exactPolicy({ key: refusedKey }, bucket, Date.now(), anyOfSigning) }),
    403,
    'AccessDenied',
  ],
  ['to a missing bucket', { key: refusedKey }, () => ({ bucket: 'missing', url: '/missing' }), 404, 'NoSuchBucket'],
  ['of another user', { key: refusedKey }, () => ({ user: gateway.users.other }), 403, 'AccessDenied'],
  ['for another owner', { key: refusedKey }, () => ({ headers: { 'x-amz-expected-bucket-owner': 'another' } }), 403, 'AccessDenied'],
  ['with an Authorization of version 2', { key: refusedKey }, () => ({ headers: { authorization: 'AWS a:b' } }), 400, 'InvalidRequest'],
  ['with a list of access that is unknown', { key: refusedKey, acl: 'publik' }, () => ({}), 400, 'InvalidArgument'],
  ['with encryption', { key: refusedKey, 'x-amz-server-side-encryption': 'AES256' }, () => ({}), 501, 'NotImplemented'],
  ['with another storage class', { key: refusedKey, 'x-amz-storage-class': 'GLACIER' }, () => ({}), 400, 'InvalidStorageClass'],
  ['with malformed tags', { key: refusedKey, tagging: 'color=blue' }, () => ({}), 400, 'MalformedXML'],
  ['with invalid tags', { key: refusedKey, tagging: tagged('aws:a') }, () => ({}), 400, 'InvalidTag'],
  ['with a line break in metadata', { key: refusedKey, 'x-amz-meta-a': 'a\r\nb' }, () => ({}), 400, 'InvalidArgument'],
  ['with a space in the name of metadata', { key: refusedKey, 'x-amz-meta-a b': 'c' }, () => ({}), 400, 'InvalidArgument'],
  ['with an invalid checksum', { key: refusedKey, 'x-amz-checksum-crc32': 'AAAA' }, () => ({}), 400, 'InvalidRequest'],
  ['with the checksum of other bytes', { key: refusedKey, 'x-amz-checksum-crc32': 'AAAAAA==' }, () => ({}), 400, 'BadDigest'],
  ['with an unknown checksum', { key: refusedKey, 'x-amz-checksum-crc7': 'AAAAAA==' }, () => ({}), 400, 'InvalidRequest'],
  ['with a file below the smallest object', { key: refusedKey }, () => ({ file: { bytes: 'x' } }), 400, 'EntityTooSmall'],
]

function tagged(key: string): string {
  return `<Tagging><TagSet><Tag><Key>${key}</Key><Value></Value></Tag></TagSet></Tagging>`
}

test.each(refusals)('a form %s is refused', async (...[, fields, options, status, code]) => {
  expect(await post(fields, options())).toMatchObject({ status, code })
  const { Versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: refusedKey }))
  expect(Versions).toEqual([])
})

test('the header of the request and the field of the form both name the expected owner of the bucket', async () => {
  const name = 'x-amz-expected-bucket-owner'
  const own = gateway.users.owner.ownerId
  const send = (field: string, header: string) => post({ key: 'expected', [name]: field }, { headers: { [name]: header } })
  expect(await send(own, 'another')).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(await send('another', own)).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(await post({ key: 'expected', [name]: 'another' })).toMatchObject({ status: 403, code: 'AccessDenied' })
  expect(await send(own, own)).toMatchObject({ status: 204 })
})

const sized = (bytesMin: number, bytesMax: number) => ({
  policy: exactPolicy({ key: 'sized' }, bucket, Date.now(), [...anyOfSigning, ['content-length-range', bytesMin, bytesMax]]),
})

test('the policy limits the size of the file', async () => {
  const fields = { key: 'sized' }
  expect(await post(fields, sized(200, 200))).toMatchObject({ status: 204 })
  expect(await post(fields, sized(201, 300))).toMatchObject({ status: 400, code: 'EntityTooSmall' })
  expect(await post(fields, sized(0, 199))).toMatchObject({ status: 400, code: 'EntityTooLarge' })
  const tooLarge = { ...sized(0, 1000), file: { bytes: Buffer.alloc(5_000_000) } }
  expect(await post(fields, tooLarge)).toMatchObject({ status: 400, code: 'EntityTooLarge' })
  const { Versions } = await client.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: 'sized' }))
  expect(Versions).toHaveLength(1)
})

test('an admin may post, an unsigned form and one with a header signature may not', async () => {
  expect(await post({ key: 'by-admin' }, { user: gateway.users.admin })).toMatchObject({ status: 204 })
  const unsigned = encodeForm([['key', 'k']], { bytes })
  expect(await gateway.sendUnsigned('POST', `/${bucket}`, unsigned.headers, unsigned.body)).toMatchObject({
    status: 403,
    code: 'AccessDenied',
  })
  const { 'content-type': contentType } = unsigned.headers
  const signed = { method: 'POST', url: `/${bucket}`, headers: { 'content-type': contentType }, body: unsigned.body }
  expect(await gateway.send(signed)).toMatchObject({ status: 400, code: 'InvalidArgument' })
})

test('a form is needed, with a length, and the connection is kept after a refusal', async () => {
  const send = (headers: Fields, body = Buffer.alloc(0)) => gateway.sendUnsigned('POST', `/${bucket}`, headers, body)
  expect(await send({ 'content-type': 'text/plain', 'content-length': '0' })).toMatchObject({ status: 412, code: 'PreconditionFailed' })
  expect(await send({ 'content-type': 'multipart/form-data; boundary=b' })).toMatchObject({ status: 411, code: 'MissingContentLength' })
  expect(await send({ 'content-type': 'multipart/form-data', 'content-length': '1' }, Buffer.from('x'))).toMatchObject({
    code: 'MalformedPOSTRequest',
  })
  const denied = await post({ key: 'k' }, { user: gateway.users.other })
  expect(denied.headers.get('connection')).not.toBe('close')
})
