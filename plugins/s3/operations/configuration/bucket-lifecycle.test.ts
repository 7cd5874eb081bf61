import { createHash } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { daysOnly, lifecycleTestPlugin } from '../../testing/lifecycle-engine.ts'
import { startTestGateway } from '../../testing/test-gateway.ts'
import { encodeForm, signForm } from '../../testing/upload-form.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>

beforeAll(async () => {
  gateway = await startTestGateway({}, [lifecycleTestPlugin])
  for (const Bucket of ['kept', 'refused', 'ended', 'shown']) await gateway.client().send(new CreateBucketCommand({ Bucket }))
})

afterAll(() => gateway[Symbol.asyncDispose]())

const read = async (Bucket: string) => (await gateway.client().send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules
const store = (Bucket: string, Rules: LifecycleRule[]) =>
  gateway.client().send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
const absent = { name: 'NoSuchLifecycleConfiguration', $metadata: { httpStatusCode: 404 } }

test('rules of every form are stored, answered as they were sent, replaced, and deleted', async () => {
  await expect(read('kept')).rejects.toMatchObject(absent)
  const rules: LifecycleRule[] = [
    { ID: 'old', Prefix: 'a/', Status: 'Enabled', Expiration: { Days: 3 } },
    { ID: 'whole', Prefix: '', Status: 'Disabled', Expiration: { Date: new Date('2030-01-01T00:00:00Z') } },
    { ID: 'filter', Filter: { Prefix: 'b & c/' }, Status: 'Enabled', Expiration: { ExpiredObjectDeleteMarker: true } },
    { ID: 'tag', Filter: { Tag: { Key: 'k', Value: '' } }, Status: 'Enabled', Expiration: { Days: 1 } },
    { ID: 'size', Filter: { ObjectSizeGreaterThan: 0 }, Status: 'Enabled', Expiration: { Days: 2147483647 } },
    {
      ID: 'and',
      Filter: { And: { Prefix: '', Tags: [{ Key: 'a', Value: 'b' }], ObjectSizeGreaterThan: 5, ObjectSizeLessThan: 7 } },
      Status: 'Enabled',
      NoncurrentVersionExpiration: { NoncurrentDays: 4, NewerNoncurrentVersions: 100 },
    },
    {
      ID: 'x'.repeat(255),
      Filter: { Prefix: '' },
      Status: 'Enabled',
      NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
    },
  ]
  await store('kept', rules)
  expect(await read('kept')).toEqual(rules)
  await store('kept', rules.slice(0, 1))
  expect(await read('kept')).toEqual(rules.slice(0, 1))
  const deleted = await gateway.client().send(new DeleteBucketLifecycleCommand({ Bucket: 'kept' }))
  expect(deleted.$metadata.httpStatusCode).toBe(204)
  await expect(read('kept')).rejects.toMatchObject(absent)
})

const send = (url: string, body: string, more: Partial<Parameters<typeof gateway.send>[0]> = {}) =>
  gateway.send({ method: 'PUT', url, body, headers: { 'content-md5': createHash('md5').update(body).digest('base64') }, ...more })
const put = (rules: string) => send('/refused?lifecycle', `<LifecycleConfiguration>${rules}</LifecycleConfiguration>`)

const valid = '<Rule><Prefix/><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule>'
const rule = (content: string) => `<Rule><Status>Enabled</Status>${content}</Rule>`
const whole = '<Filter/>'
const days = '<Expiration><Days>1</Days></Expiration>'
const tag = '<Tag><Key>k</Key><Value>v</Value></Tag>'
const abort = '<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>'
const newer = (count: number) =>
  `<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays><NewerNoncurrentVersions>${count}</NewerNoncurrentVersions></NoncurrentVersionExpiration>`
const many = (count: number) =>
  Array.from({ length: count }, (_, n) => rule(`<ID>${n}</ID><Filter><Prefix>logs/${n}/</Prefix></Filter>${days}`)).join('')

test.each([
  ['no rule', '', 'MalformedXML'],
  ['1001 rules', many(1001), 'MalformedXML'],
  ['an unknown status', valid.replace('Enabled', 'enabled'), 'MalformedXML'],
  ['no status', valid.replace('<Status>Enabled</Status>', ''), 'MalformedXML'],
  ['no filter', rule(days), 'MalformedXML'],
  ['a prefix and a filter', rule(`<Prefix/>${whole}${days}`), 'MalformedXML'],
  ['an unknown element of a rule', rule(`${whole}${days}<Color/>`), 'MalformedXML'],
  ['an unknown element of a filter', rule(`<Filter><ObjectAge>3</ObjectAge></Filter>${days}`), 'MalformedXML'],
  ['an unknown element of an expiration', rule(`${whole}<Expiration><Days>1</Days><Hours>1</Hours></Expiration>`), 'MalformedXML'],
  ['two prefixes', rule(`<Prefix>a</Prefix><Prefix>b</Prefix>${days}`), 'MalformedXML'],
  ['And with one element', rule(`<Filter><And>${tag}</And></Filter>${days}`), 'MalformedXML'],
  ['And beside another element', rule(`<Filter><And>${tag}<Prefix/></And><Prefix/></Filter>${days}`), 'MalformedXML'],
  ['no action', rule(whole), 'InvalidRequest'],
  ['an empty expiration', rule(`${whole}<Expiration/>`), 'MalformedXML'],
  ['days and a date', rule(`${whole}<Expiration><Days>1</Days><Date>2030-01-01</Date></Expiration>`), 'MalformedXML'],
  [
    'days and markers',
    rule(`${whole}<Expiration><Days>1</Days><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>`),
    'MalformedXML',
  ],
  ['days that are no number', rule(`${whole}<Expiration><Days>soon</Days></Expiration>`), 'MalformedXML'],
  ['0 days', valid.replace('>1<', '>0<'), 'InvalidArgument'],
  ['-1 days', valid.replace('>1<', '>-1<'), 'InvalidArgument'],
  ['too many days', valid.replace('>1<', '>2147483648<'), 'InvalidArgument'],
  ['a date that is none', rule(`${whole}<Expiration><Date>01/02/2030</Date></Expiration>`), 'MalformedXML'],
  ['a day that does not exist', rule(`${whole}<Expiration><Date>2030-02-31</Date></Expiration>`), 'MalformedXML'],
  ['a date within a day', rule(`${whole}<Expiration><Date>2030-01-01T01:00:00Z</Date></Expiration>`), 'InvalidArgument'],
  [
    '0 noncurrent days',
    rule(`${whole}<NoncurrentVersionExpiration><NoncurrentDays>0</NoncurrentDays></NoncurrentVersionExpiration>`),
    'InvalidArgument',
  ],
  [
    'no noncurrent days',
    rule(`${whole}<NoncurrentVersionExpiration><NewerNoncurrentVersions>1</NewerNoncurrentVersions></NoncurrentVersionExpiration>`),
    'MalformedXML',
  ],
  ['0 newer versions', rule(`${whole}${newer(0)}`), 'InvalidArgument'],
  ['101 newer versions', rule(`${whole}${newer(101)}`), 'InvalidArgument'],
  ['an abortion after 0 days', rule(`${whole}${abort.replace('>1<', '>0<')}`), 'InvalidArgument'],
  ['an abortion by tag', rule(`<Filter>${tag}</Filter>${abort}`), 'InvalidRequest'],
  ['an abortion by size', rule(`<Filter><ObjectSizeLessThan>5</ObjectSizeLessThan></Filter>${abort}`), 'InvalidRequest'],
  [
    'markers by tag',
    rule(`<Filter>${tag}</Filter><Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>`),
    'InvalidRequest',
  ],
  [
    'sizes without any between',
    rule(`<Filter><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan><ObjectSizeLessThan>5</ObjectSizeLessThan></Filter>${days}`),
    'InvalidRequest',
  ],
  ['a long ID', valid.replace('<Prefix/>', `<Prefix/><ID>${'x'.repeat(256)}</ID>`), 'InvalidArgument'],
  ['an ID twice', valid.replace('<Prefix/>', '<Prefix/><ID>a</ID>').repeat(2), 'InvalidArgument'],
  ['a long prefix', rule(`<Prefix>${'é'.repeat(513)}</Prefix>${days}`), 'InvalidRequest'],
  ['a tag twice', rule(`<Filter><And>${tag}${tag}</And></Filter>${days}`), 'InvalidTag'],
  ['a tag without a value', rule(`<Filter><Tag><Key>k</Key></Tag></Filter>${days}`), 'MalformedXML'],
])('rules with %s are refused, and the earlier ones stay', async (_name, rules, code) => {
  await store('refused', [{ ID: 'earlier', Prefix: '', Status: 'Enabled', Expiration: { Days: 9 } }])
  expect(await put(rules)).toMatchObject({ status: 400, code })
  expect(await read('refused')).toMatchObject([{ ID: 'earlier' }])
})

test('transitions are not implemented, whatever else the rule says', async () => {
  const transition = '<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>'
  expect(await put(rule(`${whole}${days}${transition}`))).toMatchObject({ status: 501, code: 'NotImplemented' })
  const noncurrent = '<NoncurrentVersionTransition><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionTransition>'
  expect(await put(rule(`${whole}${noncurrent}`))).toMatchObject({ status: 501, code: 'NotImplemented' })
})

test('1000 rules are stored, and rules without an ID get one each', async () => {
  expect(await put(many(1000))).toMatchObject({ status: 200 })
  expect(await read('refused')).toHaveLength(1000)
  expect(await put(valid + valid.replace('<Prefix/>', '<Prefix>b</Prefix><ID></ID>'))).toMatchObject({ status: 200 })
  const ids = (await read('refused'))?.map(({ ID }) => ID)
  expect(new Set(ids).size).toBe(2)
  expect(ids).not.toContain('')
})

test('rules without an ID keep theirs when they are stored again, also beside one that got it before', async () => {
  const twice = valid.repeat(2)
  expect(await put(twice)).toMatchObject({ status: 200 })
  const first = await read('refused')
  expect(new Set(first?.map(({ ID }) => ID)).size).toBe(2)
  expect(await put(twice)).toMatchObject({ status: 200 })
  expect(await read('refused')).toEqual(first)
  const known = `<ID>${first?.[0]?.ID}</ID>`
  expect(await put(valid.replace('<Prefix/>', `<Prefix/>${known}`) + valid)).toMatchObject({ status: 200 })
  expect(await read('refused')).toEqual(first)
})

test('a body without a digest, or of more than 512 KiB, is refused', async () => {
  const body = `<LifecycleConfiguration>${valid}</LifecycleConfiguration>`
  expect(await send('/refused?lifecycle', body, { headers: {} })).toMatchObject({ status: 400, code: 'InvalidRequest' })
  const large = body.replace('<Prefix/>', `<Prefix>${'x'.repeat(512 * 1024)}</Prefix>`)
  expect((await send('/refused?lifecycle', large)).status).toBe(400)
})

test('only the owner and admins see and change the rules', async () => {
  const body = `<LifecycleConfiguration>${valid}</LifecycleConfiguration>`
  const { owner, admin, other } = gateway.users
  for (const user of [owner, admin]) expect(await send('/shown?lifecycle', body, { user })).toMatchObject({ status: 200 })
  expect(await send('/shown?lifecycle', body, { user: other })).toMatchObject({ status: 403, code: 'AccessDenied' })
  for (const method of ['GET', 'DELETE']) {
    expect(await gateway.send({ method, url: '/shown?lifecycle', user: other })).toMatchObject({ status: 403 })
    expect(await gateway.sendUnsigned(method, '/shown?lifecycle')).toMatchObject({ status: 403 })
  }
  expect(await send('/absent?lifecycle', body)).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  expect(await read('shown')).toHaveLength(1)
})

test('rules end with their bucket', async () => {
  await store('ended', [{ ID: 'a', Prefix: '', Status: 'Enabled', Expiration: { Days: 9 } }])
  await gateway.client().send(new DeleteBucketCommand({ Bucket: 'ended' }))
  await gateway.client().send(new CreateBucketCommand({ Bucket: 'ended' }))
  await expect(read('ended')).rejects.toMatchObject(absent)
})

test('PUT, GET, HEAD, copies, completed uploads and forms of a current version say when it expires, and by which rule', async () => {
  const client = gateway.client()
  const Bucket = 'shown'
  const Body = 'x'.repeat(200)
  const putAs = async (Key: string) => (await client.send(new PutObjectCommand({ Bucket, Key, Body }))).Expiration
  const headOf = async (Key: string, VersionId?: string) =>
    (await client.send(new HeadObjectCommand({ Bucket, Key, ...(VersionId !== undefined && { VersionId }) }))).Expiration
  await store(Bucket, [
    { ID: 'soon & sure', Prefix: 'tmp/', Status: 'Enabled', Expiration: { Days: 1 } },
    { ID: 'uploads', Prefix: '', Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
  ])
  const Key = 'tmp/a'
  const header = `expiry-date="${new Date(daysOnly.atMs).toUTCString()}", rule-id="soon%20%26%20sure"`
  const first = await client.send(new PutObjectCommand({ Bucket, Key, Body }))
  expect(first.Expiration).toBe(header)
  expect(await putAs(Key)).toBe(header)
  expect(await headOf(Key)).toBe(header)
  const got = await client.send(new GetObjectCommand({ Bucket, Key }))
  expect([got.Expiration, await got.Body?.transformToString()]).toEqual([header, Body])
  const { CopyObjectResult, Expiration } = await client.send(
    new CopyObjectCommand({ Bucket, Key: 'tmp/copy', CopySource: `${Bucket}/${Key}` }),
  )
  expect([CopyObjectResult?.ETag, Expiration]).toEqual([got.ETag, header])
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'tmp/parts' }))
  const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key: 'tmp/parts', UploadId, PartNumber: 1, Body }))
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] }
  const completed = await client.send(new CompleteMultipartUploadCommand({ Bucket, Key: 'tmp/parts', UploadId, MultipartUpload }))
  expect(completed.Expiration).toBe(header)
  const { headers, body } = encodeForm(signForm({ user: gateway.users.owner, bucket: Bucket, fields: { key: 'tmp/form' } }), {
    bytes: Body,
  })
  expect((await gateway.sendUnsigned('POST', `/${Bucket}`, headers, body)).headers.get('x-amz-expiration')).toBe(header)
  expect(await headOf(Key, first.VersionId)).toBeUndefined()
  expect(await putAs('other/b')).toBeUndefined()
  await client.send(new DeleteBucketLifecycleCommand({ Bucket }))
  expect(await headOf(Key)).toBeUndefined()
})

test('without the plugin that carries them out rules are refused', async () => {
  await using without = await startTestGateway()
  await without.client().send(new CreateBucketCommand({ Bucket: 'photos' }))
  const Rules: LifecycleRule[] = [{ ID: 'a', Prefix: '', Status: 'Enabled', Expiration: { Days: 9 } }]
  const put = new PutBucketLifecycleConfigurationCommand({ Bucket: 'photos', LifecycleConfiguration: { Rules } })
  await expect(without.client().send(put)).rejects.toMatchObject({ name: 'NotImplemented', message: expect.stringContaining('lifecycle') })
  const get = new GetBucketLifecycleConfigurationCommand({ Bucket: 'photos' })
  await expect(without.client().send(get)).rejects.toMatchObject(absent)
})
