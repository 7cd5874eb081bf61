import { createHash } from 'node:crypto'
import { CreateBucketCommand, CreateMultipartUploadCommand, PutObjectCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { promised } from '#kernel/testing'
import { lifecycleTestPlugin } from '../testing/lifecycle-engine.ts'
import { startTestGateway } from '../testing/test-gateway.ts'
import { changeAccess, changeCors, changeLifecycle, changeQuota, changeTags, showS3Settings } from './bucket-setting-api.ts'
import { shareObject, showS3Address } from './share-api.ts'
import { listOpenUploads } from './upload-api.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>
let closed: Awaited<ReturnType<typeof startTestGateway>>
const hostileKey = "a b/ü+?&=%2F#'()*!~\u{1f600}.txt"
const body = 'x'.repeat(200)

beforeAll(async () => {
  gateway = await startTestGateway({ 's3.public_access': true }, [lifecycleTestPlugin])
  closed = await startTestGateway()
  for (const one of [gateway, closed]) await one.client().send(new CreateBucketCommand({ Bucket: 'photos' }))
  for (const Key of ['plain', hostileKey]) await gateway.client().send(new PutObjectCommand({ Bucket: 'photos', Key, Body: body }))
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await closed[Symbol.asyncDispose]()
})

const path = '/api/v1/buckets/photos'
const settings = async () => promised(showS3Settings, await gateway.call('GET', `${path}/s3-settings`))
const setAccess = (change: object) => gateway.call('PUT', `${path}/s3-settings/access`, change)

test('a bucket is made public and private again, and the S3 API does what was chosen', async () => {
  const list = () => gateway.sendUnsigned('GET', '/photos')
  expect(await list()).toMatchObject({ status: 403 })
  expect(promised(changeAccess, await setAccess({ list: 'public-read', block_public_access: false }))).toMatchObject({
    grants: expect.arrayContaining([{ grantee: 'everyone', permission: 'READ' }]),
  })
  expect(await list()).toMatchObject({ status: 200 })
  await setAccess({ list: 'private', block_public_access: true })
  expect(await list()).toMatchObject({ status: 403 })
  expect((await gateway.send({ method: 'GET', url: '/photos?publicAccessBlock' })).body).toContain('<BlockPublicAcls>true')
  // The block refuses what the S3 API would refuse.
  const refused = await setAccess({ list: 'public-read' })
  expect(refused).toMatchObject({ status: 400, body: { code: 's3_setting_refused', error: expect.stringContaining('BlockPublicAcls') } })
  await setAccess({ block_public_access: false })
  expect((await settings()).access.block.block_public_acls).toBe(false)
})

test('without the setting of the operator no bucket is made public, and the refusal names the setting', async () => {
  const refused = await closed.call('PUT', `${path}/s3-settings/access`, { list: 'public-read' })
  expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('s3.public_access') } })
  expect((await closed.call('GET', `${path}/s3-settings`)).body.access).toMatchObject({ is_public_access_on: false })
})

test('an ownership that ends lists is refused for a bucket with a public list', async () => {
  await setAccess({ list: 'public-read' })
  expect(await setAccess({ ownership: 'BucketOwnerEnforced' })).toMatchObject({ status: 400, body: { code: 's3_setting_refused' } })
  await setAccess({ list: 'private' })
  expect((await setAccess({ ownership: 'BucketOwnerEnforced' })).body).toMatchObject({ ownership: 'BucketOwnerEnforced', has_lists: false })
  await setAccess({ ownership: 'ObjectWriter' })
})

test('CORS rules and tags are those of the S3 API, with its rules, and are deleted by none', async () => {
  const rule = {
    allowed_origins: ['https://page.example'],
    allowed_methods: ['GET'],
    allowed_headers: ['*'],
    expose_headers: [],
    max_age_seconds: 5,
  }
  const cors = (rules: readonly object[]) => gateway.call('PUT', `${path}/s3-settings/cors`, { rules })
  expect(promised(changeCors, await cors([rule]))).toEqual({ rules: [rule] })
  expect((await gateway.send({ method: 'GET', url: '/photos?cors' })).body).toContain('<AllowedOrigin>https://page.example')
  expect(await cors([{ ...rule, allowed_methods: ['PATCH'] }])).toMatchObject({ status: 400, body: { code: 's3_setting_refused' } })
  const tags = (sent: readonly object[]) => gateway.call('PUT', `${path}/s3-settings/tags`, { tags: sent })
  expect(promised(changeTags, await tags([{ key: 'team', value: 'films' }]))).toEqual({ tags: [{ key: 'team', value: 'films' }] })
  expect((await gateway.send({ method: 'GET', url: '/photos?tagging' })).body).toContain('<Key>team</Key>')
  expect(await tags([{ key: 'aws:x', value: '' }])).toMatchObject({ status: 400 })
  expect(await settings()).toMatchObject({ cors_rules: [rule], tags: [{ key: 'team' }] })
  await cors([])
  await tags([])
  expect(await settings()).toMatchObject({ cors_rules: [], tags: [] })
  expect(await gateway.send({ method: 'GET', url: '/photos?tagging' })).toMatchObject({ status: 404 })
})

test('lifecycle rules are those of the S3 API, with its rules; rules that stay keep the form of their client', async () => {
  const set = (rules: readonly object[], name = 'photos') => gateway.call('PUT', `/api/v1/buckets/${name}/s3-settings/lifecycle`, { rules })
  const body =
    '<LifecycleConfiguration><Rule><ID>a</ID><Prefix>a/</Prefix><Status>Enabled</Status><Expiration><Days>3</Days></Expiration></Rule></LifecycleConfiguration>'
  const digest = { 'content-md5': createHash('md5').update(body).digest('base64') }
  expect((await gateway.send({ method: 'PUT', url: '/photos?lifecycle', body, headers: digest })).status).toBe(200)
  const [stored] = (await settings()).lifecycle_rules
  expect(stored).toEqual({ id: 'a', enabled: true, prefix: 'a/', expire_days: 3 })
  const every = {
    id: 'every',
    enabled: false,
    prefix: 'logs/',
    tags: [{ key: 'k', value: 'v' }],
    size_above: 5,
    size_below: 9,
    expire_date: '2030-01-01',
    noncurrent_days: 2,
    newer_noncurrent_kept: 4,
  }
  const others = [
    every,
    { id: 'markers', enabled: true, remove_expired_markers: true },
    { id: 'abort', enabled: true, abort_upload_days: 7 },
  ]
  expect(promised(changeLifecycle, await set([stored ?? {}, ...others]))).toEqual({ rules: [stored, ...others] })
  const xml = (await gateway.send({ method: 'GET', url: '/photos?lifecycle' })).body
  expect(xml).toContain('<Rule><ID>a</ID><Prefix>a/</Prefix>')
  expect(xml).toContain('<Filter><And><Prefix>logs/</Prefix><Tag><Key>k</Key><Value>v</Value></Tag>')
  expect(xml).toContain('<Date>2030-01-01T00:00:00.000Z</Date>')
  const refused = { status: 400, body: { code: 's3_setting_refused' } }
  expect(await set([{ enabled: true }])).toMatchObject(refused)
  expect(await set([{ enabled: true, expire_days: 1, expire_date: '2030-01-01' }])).toMatchObject(refused)
  expect(await set([{ enabled: true, newer_noncurrent_kept: 1, expire_days: 1 }])).toMatchObject(refused)
  expect(await set([{ enabled: true, abort_upload_days: 1, tags: [{ key: 'a', value: '' }] }])).toMatchObject(refused)
  expect(await set([{ enabled: true, expire_date: '2030-02-31' }])).toMatchObject(refused)
  // Neither would be what it says in a header or in a database.
  for (const text of [{ id: 'a\ud800' }, { prefix: '\udfff/' }, { prefix: '\0' }]) {
    expect(await set([{ enabled: true, expire_days: 1, ...text }])).toMatchObject({ status: 400 })
  }
  expect(await set([{ enabled: true, expire_days: 0 }])).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  expect(await set([], 'absent')).toMatchObject({ status: 404, body: { code: 'bucket_not_found' } })
  expect(await settings()).toMatchObject({ lifecycle_is_on: true, lifecycle_rules: [{ id: 'a' }, { id: 'every' }, {}, {}] })
  const [{ id } = {}] = promised(changeLifecycle, await set([{ enabled: true, expire_days: 1 }])).rules
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  await set([])
  expect((await gateway.send({ method: 'GET', url: '/photos?lifecycle' })).status).toBe(404)
})

test('a quota is shown with the use, changed by one member, and refused when it is none', async () => {
  const set = (limits: object, name = 'photos') => gateway.call('PUT', `/api/v1/buckets/${name}/s3-settings/quota`, limits)
  const usage = { objects: 2, bytes: 2 * body.length }
  expect((await settings()).quota).toEqual({ objects: null, bytes: null, usage })
  expect(promised(changeQuota, await set({ objects: 7 }))).toEqual({ objects: 7, bytes: null, usage })
  expect(promised(changeQuota, await set({ bytes: 2 ** 40 }))).toEqual({ objects: 7, bytes: 2 ** 40, usage })
  expect((await settings()).quota).toEqual({ objects: 7, bytes: 2 ** 40, usage })
  const refused = { status: 400, body: { code: 'invalid_request' } }
  for (const limits of [{}, { bytes: 0 }, { bytes: -1 }, { objects: 1.5 }, { bytes: '5GB' }])
    expect(await set(limits)).toMatchObject(refused)
  expect(await set({ bytes: 1 }, 'absent')).toMatchObject({ status: 404, body: { code: 'bucket_not_found' } })
  expect(promised(changeQuota, await set({ objects: null, bytes: null }))).toEqual({ objects: null, bytes: null, usage })
})

const share = (more: object = {}) =>
  gateway.call('POST', `${path}/objects/share`, {
    key: 'plain',
    access_key: gateway.users.owner.accessKey,
    expires_seconds: 60,
    endpoint: gateway.url,
    ...more,
  })

test.each(['plain', hostileKey])('the link to %s reads the object without credentials, and nothing else', async (key) => {
  const { url } = promised(shareObject, await share({ key }))
  const read = await fetch(url)
  expect([read.status, await read.text()]).toEqual([200, body])
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(403)
  expect((await fetch(url.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).status).toBe(403)
  expect((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'))).status).toBe(403)
})

test('a link to a version reads that version', async () => {
  const { VersionId } = await gateway.client().send(new PutObjectCommand({ Bucket: 'photos', Key: 'two', Body: 'first'.padEnd(200) }))
  await gateway.client().send(new PutObjectCommand({ Bucket: 'photos', Key: 'two', Body: 'second'.padEnd(200) }))
  const { url } = promised(shareObject, await share({ key: 'two', version_id: VersionId }))
  expect((await (await fetch(url)).text()).trim()).toBe('first')
})

test('only the owner of the bucket and admins sign links, for at most seven days, to objects that exist', async () => {
  expect((await share({ access_key: gateway.users.admin.accessKey })).status).toBe(200)
  expect(await share({ access_key: gateway.users.other.accessKey })).toMatchObject({ status: 409, body: { code: 'share_user_denied' } })
  expect(await share({ access_key: 'unknown' })).toMatchObject({ status: 404, body: { code: 's3_user_not_found' } })
  expect(await share({ expires_seconds: 604_801 })).toMatchObject({ status: 400 })
  expect(await share({ endpoint: 'javascript:alert(1)' })).toMatchObject({ status: 400 })
  expect(await share({ endpoint: 'https://user:secret@s3.example' })).toMatchObject({ status: 400 })
  expect(await share({ key: 'absent' })).toMatchObject({ status: 404, body: { code: 'share_object_not_found' } })
})

test('a link is signed for any user that the access list lets read the object, not only for the owner of the bucket', async () => {
  const { owner, other, plain } = gateway.users
  const put = (client: S3Client, Key: string, more: object) =>
    client.send(new PutObjectCommand({ Bucket: 'shared', Key, Body: body, ...more }))
  await gateway
    .client()
    .send(new CreateBucketCommand({ Bucket: 'shared', ObjectOwnership: 'ObjectWriter', GrantWrite: `id=${other.ownerId}` }))
  const { VersionId } = await put(gateway.client(), 'granted', { GrantRead: `id=${plain.ownerId}` })
  await put(gateway.client(other), 'foreign', {})
  const link = (key: string, { accessKey }: { readonly accessKey: string }, version_id?: string) =>
    gateway.call('POST', '/api/v1/buckets/shared/objects/share', {
      key,
      access_key: accessKey,
      expires_seconds: 60,
      endpoint: gateway.url,
      ...(version_id && { version_id }),
    })
  for (const made of [link('granted', owner), link('granted', plain), link('granted', plain, VersionId), link('foreign', other)])
    expect((await fetch(promised(shareObject, await made).url)).status).toBe(200)
  for (const refused of [link('foreign', owner), link('foreign', plain), link('granted', other, VersionId)])
    expect(await refused).toMatchObject({ status: 409, body: { code: 'share_user_denied' } })
})

test('a key with NUL is refused before it is looked up', async () => {
  const invalid = { status: 400, body: { code: 'invalid_request' } }
  expect(await share({ key: 'a\0' })).toMatchObject(invalid)
  expect(await gateway.call('POST', `${path}/uploads/abort`, { key: 'a\0', upload_id: 'u' })).toMatchObject(invalid)
  expect(await share({ key: 'x'.repeat(1025) })).toMatchObject(invalid)
})

test('the address of the running S3 API is told', async () => {
  expect(promised(showS3Address, await gateway.call('GET', '/api/v1/s3-address'))).toEqual({
    listens_on: '127.0.0.1:0',
    tls: false,
    region: expect.any(String),
  })
})

test('open uploads are listed with what they take of the cache, and aborted', async () => {
  const target = { Bucket: 'photos', Key: 'large/file' }
  const { UploadId } = await gateway.client().send(new CreateMultipartUploadCommand(target))
  await gateway.client().send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: 'p'.repeat(5000) }))
  const list = async () => promised(listOpenUploads, await gateway.call('GET', `${path}/uploads`))
  expect(await list()).toMatchObject({
    uploads: [{ key: 'large/file', upload_id: UploadId, parts: 1, bytes: 5000, parts_exceed: false }],
    has_more: false,
  })
  const abort = () => gateway.call('POST', `${path}/uploads/abort`, { key: 'large/file', upload_id: UploadId })
  expect((await abort()).status).toBe(204)
  expect((await list()).uploads).toEqual([])
  expect(await abort()).toMatchObject({ status: 404, body: { code: 'upload_not_found' } })
})
