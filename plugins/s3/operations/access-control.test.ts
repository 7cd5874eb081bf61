import {
  CreateBucketCommand,
  DeleteBucketOwnershipControlsCommand,
  DeleteObjectCommand,
  GetBucketAclCommand,
  GetBucketOwnershipControlsCommand,
  GetObjectAclCommand,
  type ObjectOwnership,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/test-gateway.ts'
import { encodeForm, signForm } from '../testing/upload-form.ts'

const missingVersion = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
let gateway: Awaited<ReturnType<typeof startTestGateway>>
const Bucket = 'listed'

beforeAll(async () => {
  gateway = await startTestGateway()
  await gateway.client().send(new CreateBucketCommand({ Bucket }))
  await gateway.client().send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x'.repeat(200), ACL: 'bucket-owner-read' }))
})

afterAll(() => gateway[Symbol.asyncDispose]())

test('the owner of the bucket has full control of it and its objects, and may send that list again', async () => {
  const client = gateway.client()
  const ID = gateway.users.owner.ownerId
  const list = {
    Owner: { ID, DisplayName: ID },
    Grants: [{ Grantee: { Type: 'CanonicalUser', ID, DisplayName: ID }, Permission: 'FULL_CONTROL' }],
  } as const
  for (const user of [gateway.users.owner, gateway.users.admin]) {
    expect(await gateway.client(user).send(new GetBucketAclCommand({ Bucket }))).toMatchObject(list)
    expect(await gateway.client(user).send(new GetObjectAclCommand({ Bucket, Key: 'k' }))).toMatchObject(list)
  }
  const AccessControlPolicy = { Owner: list.Owner, Grants: [...list.Grants] }
  await client.send(new PutBucketAclCommand({ Bucket, AccessControlPolicy }))
  await client.send(new PutObjectAclCommand({ Bucket, Key: 'k', AccessControlPolicy }))
  await client.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }))
  await client.send(new PutObjectAclCommand({ Bucket, Key: 'k', ACL: 'bucket-owner-full-control' }))
})

test('an empty x-amz-acl is ignored, as s3fs sends it', async () => {
  const headers = { 'x-amz-acl': '' }
  const url = `/${Bucket}/unlisted`
  expect(await gateway.send({ method: 'PUT', url, headers, body: 'x'.repeat(200) })).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'POST', url: `${url}?uploads`, headers })).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'PUT', url: '/unlisted', headers })).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'PUT', url: `${url}?acl`, headers })).toMatchObject({ code: 'MissingSecurityHeader' })
})

const xml = (owner: string, grants: string) =>
  `<AccessControlPolicy><Owner><ID>${owner}</ID></Owner><AccessControlList>${grants}</AccessControlList></AccessControlPolicy>`
const grant = (grantee: string, permission: string) => `<Grant><Grantee>${grantee}</Grantee><Permission>${permission}</Permission></Grant>`
const everyone = '<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>'

type Write = (owner: string) => { readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

const writes: [string, Write, string, number][] = [
  ['a public list', () => ({ headers: { 'x-amz-acl': 'public-read' } }), 'AccessDenied', 403],
  ['every user', () => ({ headers: { 'x-amz-acl': 'authenticated-read' } }), 'AccessDenied', 403],
  [
    'a grant to everyone',
    () => ({ headers: { 'x-amz-grant-read': 'uri="http://acs.amazonaws.com/groups/global/AllUsers"' } }),
    'AccessDenied',
    403,
  ],
  ['an unknown name', () => ({ headers: { 'x-amz-acl': 'publik' } }), 'InvalidArgument', 400],
  ['a list of a service of AWS', () => ({ headers: { 'x-amz-acl': 'log-delivery-write' } }), 'InvalidArgument', 400],
  ['a grant to an unknown user', () => ({ headers: { 'x-amz-grant-read': 'id="x"' } }), 'InvalidArgument', 400],
  ['a grant to an unknown group', () => ({ headers: { 'x-amz-grant-read': 'uri="x"' } }), 'InvalidArgument', 400],
  ['an email address', () => ({ headers: { 'x-amz-grant-read': 'emailAddress="a@example.org"' } }), 'UnresolvableGrantByEmailAddress', 400],
  ['a malformed grant', () => ({ headers: { 'x-amz-grant-read': 'x' } }), 'InvalidArgument', 400],
  ['a name and a grant', () => ({ headers: { 'x-amz-acl': 'private', 'x-amz-grant-read': 'id="x"' } }), 'InvalidRequest', 400],
  ['nothing', () => ({}), 'MissingSecurityHeader', 400],
  ['a name and a list', (id) => ({ headers: { 'x-amz-acl': 'private' }, body: xml(id, '') }), 'UnexpectedContent', 400],
  [
    'a grant to everyone in a document',
    (id) => ({ body: xml(id, grant(`<ID>${id}</ID>`, 'FULL_CONTROL') + grant(everyone, 'READ')) }),
    'AccessDenied',
    403,
  ],
  ['an unknown permission', (id) => ({ body: xml(id, grant(`<ID>${id}</ID>`, 'ALL')) }), 'MalformedACLError', 400],
  ['101 grants', (id) => ({ body: xml(id, grant(`<ID>${id}</ID>`, 'READ').repeat(101)) }), 'InvalidRequest', 400],
  ['another owner', () => ({ body: xml('somebody', grant('<ID>somebody</ID>', 'FULL_CONTROL')) }), 'AccessDenied', 403],
  ['no grantee', (id) => ({ body: xml(id, '<Grant><Permission>READ</Permission></Grant>') }), 'MalformedXML', 400],
]

test.each(writes)('an access control list with %s is refused, and leaves the list as it was', async (...[, write, code, status]) => {
  for (const url of [`/${Bucket}?acl`, `/${Bucket}/k?acl`]) {
    expect(await gateway.send({ method: 'PUT', url, ...write(gateway.users.owner.accessKey) })).toMatchObject({ code, status })
    expect((await gateway.send({ method: 'GET', url })).body.match(/<Permission>\w+/g)).toEqual(['<Permission>FULL_CONTROL'])
  }
})

test('a public list is refused with the setting that allows it', async () => {
  for (const url of [`/${Bucket}?acl`, `/${Bucket}/k?acl`, '/published', `/${Bucket}/published`]) {
    const answer = await gateway.send({ method: 'PUT', url, headers: { 'x-amz-acl': 'public-read' } })
    expect(answer).toMatchObject({ status: 403, code: 'AccessDenied', body: expect.stringContaining('(s3.public_access)') })
  }
})

test.each([
  ['no grants', ''],
  ['less than full control of the owner', 'READ_ACP'],
])('a list with %s is stored, and takes nothing from the owner of the bucket', async (_, permission) => {
  const id = gateway.users.owner.accessKey
  const body = xml(id, permission && grant(`<ID>${id}</ID>`, permission))
  for (const url of [`/${Bucket}`, `/${Bucket}/k`]) {
    expect(await gateway.send({ method: 'PUT', url: `${url}?acl`, body })).toMatchObject({ status: 200 })
    const listed = (await gateway.send({ method: 'GET', url: `${url}?acl` })).body.match(/<Permission>\w+/g) ?? []
    expect(listed).toEqual(permission ? [`<Permission>${permission}`] : [])
    expect(await gateway.send({ method: 'GET', url })).toMatchObject({ status: 200 })
    expect(await gateway.send({ method: 'PUT', url: `${url}?acl`, headers: { 'x-amz-acl': 'private' } })).toMatchObject({ status: 200 })
  }
})

test('the list of a missing object, of a delete marker and of a missing bucket is refused', async () => {
  const marker = await gateway.client().send(new DeleteObjectCommand({ Bucket, Key: 'deleted' }))
  for (const method of ['GET', 'PUT']) {
    const ask = (path: string) => gateway.send({ method, url: `/${path}`, headers: { 'x-amz-acl': 'private' } })
    expect(await ask(`${Bucket}/absent?acl`)).toMatchObject({ status: 404, code: 'NoSuchKey' })
    expect(await ask(`${Bucket}/k?acl&versionId=${missingVersion}`)).toMatchObject({ status: 404, code: 'NoSuchVersion' })
    expect(await ask(`${Bucket}/k?acl&versionId=none`)).toMatchObject({ status: 400, code: 'InvalidArgument' })
    expect(await ask(`${Bucket}/deleted?acl&versionId=${marker.VersionId}`)).toMatchObject({ status: 405, code: 'MethodNotAllowed' })
    expect(await ask('absent?acl')).toMatchObject({ status: 404, code: 'NoSuchBucket' })
  }
})

test.each([`/${Bucket}?acl`, `/${Bucket}/k?acl`])('%s is answered to the owner and admins only', async (url) => {
  const { other, plain } = gateway.users
  for (const method of ['GET', 'PUT']) {
    for (const user of [other, plain]) {
      const request = { method, url, user, headers: { 'x-amz-acl': 'private' } }
      expect(await gateway.send(request)).toMatchObject({ status: 403, code: 'AccessDenied' })
    }
    expect(await gateway.sendUnsigned(method, url)).toMatchObject({ status: 403 })
  }
})

const id = (name: string) => `id="${name}"`

test.each([
  ['x-amz-acl', 'publik', 400, 'InvalidArgument'],
  ['x-amz-acl', 'public-read', 403, 'AccessDenied'],
  ['x-amz-acl', 'authenticated-read', 403, 'AccessDenied'],
  ['x-amz-grant-read', 'uri="http://acs.amazonaws.com/groups/global/AllUsers"', 403, 'AccessDenied'],
  ['x-amz-grant-full-control', 'id="unknown"', 400, 'InvalidArgument'],
  ['x-amz-grant-full-control', 'everybody', 400, 'InvalidArgument'],
  ['x-amz-object-ownership', 'Nobody', 400, 'InvalidArgument'],
  ['x-amz-acl', 'private', 200, ''],
  ['x-amz-grant-full-control', 'id="OWNER"', 200, ''],
  ['x-amz-object-ownership', 'ObjectWriter', 409, 'BucketAlreadyOwnedByYou'],
  ['x-amz-grant-read', 'id="OTHER"', 409, 'BucketAlreadyOwnedByYou'],
])('a bucket made with %s: %s is answered with %i %s', async (...[header, value, status, code]) => {
  const { owner, other } = gateway.users
  const text = value.replace('OWNER', owner.accessKey).replace('OTHER', other.accessKey)
  expect(await gateway.send({ method: 'PUT', url: '/new-bucket', headers: { [header]: text } })).toMatchObject({ status, code })
})

test('a bucket made with a list and an ownership has them, and is made again with the same ones only', async () => {
  const headers = { 'x-amz-object-ownership': 'ObjectWriter', 'x-amz-grant-read': id(gateway.users.other.accessKey) }
  const create = { method: 'PUT', url: '/shared', headers }
  expect(await gateway.send(create)).toMatchObject({ status: 200 })
  expect(await gateway.send(create)).toMatchObject({ status: 200 })
  expect(await gateway.send({ ...create, headers: {} })).toMatchObject({ status: 409, code: 'BucketAlreadyOwnedByYou' })
  expect(await gateway.send({ ...create, user: gateway.users.other })).toMatchObject({ status: 409, code: 'BucketAlreadyExists' })
  expect(await gateway.send({ method: 'GET', url: '/shared?ownershipControls' })).toMatchObject({
    body: expect.stringContaining('ObjectWriter'),
  })
  expect(await gateway.send({ method: 'GET', url: '/shared', user: gateway.users.other })).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'GET', url: '/shared', user: gateway.users.plain })).toMatchObject({ status: 403 })
})

const many = Array.from({ length: 101 }, () => id('x')).join()

test.each([
  ['a public list', { 'x-amz-acl': 'public-read-write' }, 403, 'AccessDenied'],
  ['an unknown list', { 'x-amz-acl': 'Private' }, 400, 'InvalidArgument'],
  ['a grant to an unknown user', { 'x-amz-grant-read': id('another') }, 400, 'InvalidArgument'],
  ['a grant to an email address', { 'x-amz-grant-read': 'emailAddress="a@example.org"' }, 400, 'UnresolvableGrantByEmailAddress'],
  ['a malformed grant', { 'x-amz-grant-write': 'id' }, 400, 'InvalidArgument'],
  ['101 grants', { 'x-amz-grant-write': many }, 400, 'InvalidRequest'],
  ['a list and a grant', { 'x-amz-acl': 'private', 'x-amz-grant-read': id('x') }, 400, 'InvalidRequest'],
])('objects written with %s are refused, by every operation', async (_name, headers, status, code) => {
  const source = { 'x-amz-copy-source': `${Bucket}/k` }
  for (const request of [
    { method: 'PUT', url: `/${Bucket}/written`, headers, body: 'x'.repeat(200) },
    { method: 'PUT', url: `/${Bucket}/written`, headers: { ...headers, ...source } },
    { method: 'POST', url: `/${Bucket}/written?uploads`, headers },
  ]) {
    expect(await gateway.send(request)).toMatchObject({ status, code })
  }
  expect(await gateway.send({ method: 'GET', url: `/${Bucket}/written` })).toMatchObject({ status: 404 })
})

test('an object has the list that it was written with, by every operation, and a copy has its own', async () => {
  const { other, plain } = gateway.users
  const headers = { 'x-amz-grant-read': id(other.accessKey) }
  const body = 'x'.repeat(200)
  expect(await gateway.send({ method: 'PUT', url: `/${Bucket}/put`, headers, body })).toMatchObject({ status: 200 })
  const source = { 'x-amz-copy-source': `${Bucket}/put` }
  expect(await gateway.send({ method: 'PUT', url: `/${Bucket}/copied`, headers: { ...headers, ...source } })).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'PUT', url: `/${Bucket}/copied-plain`, headers: source })).toMatchObject({ status: 200 })
  const started = await gateway.send({ method: 'POST', url: `/${Bucket}/parts?uploads`, headers })
  const place = `/${Bucket}/parts?uploadId=${/<UploadId>(\w+)/.exec(started.body)?.[1]}`
  const part = await gateway.send({ method: 'PUT', url: `${place}&partNumber=1`, body })
  const document = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.get('etag')}</ETag></Part></CompleteMultipartUpload>`
  expect(await gateway.send({ method: 'POST', url: place, body: document })).toMatchObject({ status: 200 })
  const fields = { key: 'posted', 'x-amz-grant-read': id(other.accessKey) }
  const form = encodeForm(signForm({ user: gateway.users.owner, fields, bucket: Bucket }), { bytes: body })
  expect(await gateway.sendUnsigned('POST', `/${Bucket}`, form.headers, form.body)).toMatchObject({ status: 204 })
  for (const key of ['put', 'copied', 'parts', 'posted']) {
    expect(await gateway.send({ method: 'GET', url: `/${Bucket}/${key}`, user: other })).toMatchObject({ status: 200, body })
    expect(await gateway.send({ method: 'GET', url: `/${Bucket}/${key}`, user: plain })).toMatchObject({ status: 403 })
  }
  expect(await gateway.send({ method: 'GET', url: `/${Bucket}/copied-plain`, user: other })).toMatchObject({ status: 403 })
  // A new version has its own list.
  expect(await gateway.send({ method: 'PUT', url: `/${Bucket}/put`, body })).toMatchObject({ status: 200 })
  expect(await gateway.send({ method: 'GET', url: `/${Bucket}/put`, user: other })).toMatchObject({ status: 403 })
})

test('a user with a grant sees and changes exactly that', async () => {
  const { owner, other, plain } = gateway.users
  const url = `/${Bucket}/granted`
  await gateway.send({ method: 'PUT', url, body: 'x'.repeat(200) })
  const body = (permission: string) => xml(owner.accessKey, grant(`<ID>${other.accessKey}</ID>`, permission))
  const set = (permission: string, user = owner) => gateway.send({ method: 'PUT', url: `${url}?acl`, body: body(permission), user })
  const statuses = async () => {
    const [read, readList] = [
      await gateway.send({ method: 'GET', url, user: other }),
      await gateway.send({ method: 'GET', url: `${url}?acl`, user: other }),
    ]
    return [read.status, readList.status]
  }
  await set('READ')
  expect(await statuses()).toEqual([200, 403])
  await set('READ_ACP')
  expect(await statuses()).toEqual([403, 200])
  expect(await set('READ', other)).toMatchObject({ status: 403 })
  await set('WRITE_ACP')
  expect(await statuses()).toEqual([403, 403])
  expect(await set('FULL_CONTROL', other)).toMatchObject({ status: 200 })
  expect(await statuses()).toEqual([200, 200])
  for (const method of ['PUT', 'DELETE']) expect(await gateway.send({ method, url, user: other })).toMatchObject({ status: 403 })
  expect(await gateway.send({ method: 'GET', url, user: plain })).toMatchObject({ status: 403 })
})

describe('ownership', () => {
  const put = (bucket: string, ...ownerships: ObjectOwnership[]) =>
    gateway.client().send(
      new PutBucketOwnershipControlsCommand({
        Bucket: bucket,
        OwnershipControls: { Rules: ownerships.map((ObjectOwnership) => ({ ObjectOwnership })) },
      }),
    )

  test('controls are stored, shown and deleted by the owner and admins only', async () => {
    for (const ownership of ['BucketOwnerEnforced', 'ObjectWriter', 'BucketOwnerPreferred'] as const) {
      await put(Bucket, ownership)
      for (const user of [gateway.users.owner, gateway.users.admin]) {
        const { OwnershipControls } = await gateway.client(user).send(new GetBucketOwnershipControlsCommand({ Bucket }))
        expect(OwnershipControls).toEqual({ Rules: [{ ObjectOwnership: ownership }] })
      }
    }
    await expect(put(Bucket, 'Nobody' as never)).rejects.toMatchObject({ name: 'MalformedXML' })
    await expect(put(Bucket, 'BucketOwnerEnforced', 'BucketOwnerEnforced')).rejects.toMatchObject({ name: 'MalformedXML' })
    await put(Bucket, 'BucketOwnerEnforced')
    const deleted = await gateway.client().send(new DeleteBucketOwnershipControlsCommand({ Bucket }))
    expect(deleted.$metadata.httpStatusCode).toBe(204)
    // The default of the gateway is not the one that clients assume.
    const { OwnershipControls } = await gateway.client().send(new GetBucketOwnershipControlsCommand({ Bucket }))
    expect(OwnershipControls).toEqual({ Rules: [{ ObjectOwnership: 'BucketOwnerPreferred' }] })
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const request = { method, url: `/${Bucket}?ownershipControls`, user: gateway.users.other }
      expect(await gateway.send(request)).toMatchObject({ status: 403, code: 'AccessDenied' })
      expect(await gateway.send({ ...request, url: '/absent?ownershipControls' })).toMatchObject({ status: 404, code: 'NoSuchBucket' })
      expect(await gateway.sendUnsigned(method, request.url)).toMatchObject({ status: 403 })
    }
  })

  test('a bucket with BucketOwnerEnforced refuses and ignores lists, and accepts private ones', async () => {
    const { owner, other } = gateway.users
    const toOther = { 'x-amz-grant-read': id(other.accessKey) }
    const own = { 'x-amz-grant-full-control': id(owner.accessKey) }
    const url = '/enforced/k'
    const body = 'x'.repeat(200)
    await gateway.client().send(new CreateBucketCommand({ Bucket: 'enforced' }))
    expect(await gateway.send({ method: 'PUT', url, headers: toOther, body })).toMatchObject({ status: 200 })
    await gateway.send({ method: 'PUT', url: '/enforced?acl', headers: { ...own, ...toOther } })
    await expect(put('enforced', 'BucketOwnerEnforced')).rejects.toMatchObject({ name: 'InvalidBucketAclWithObjectOwnership' })
    await gateway.send({ method: 'PUT', url: '/enforced?acl', headers: { 'x-amz-acl': 'private' } })
    const get = { method: 'GET', url, user: other }
    expect(await gateway.send(get)).toMatchObject({ status: 200 })
    await put('enforced', 'BucketOwnerEnforced')
    expect(await gateway.send(get)).toMatchObject({ status: 403 })
    expect((await gateway.send({ method: 'GET', url: `${url}?acl` })).body).not.toContain(other.ownerId)
    const source = { 'x-amz-copy-source': '/enforced/k' }
    for (const request of [
      { method: 'PUT', url, headers: toOther, body },
      { method: 'PUT', url, headers: { ...toOther, ...source } },
      { method: 'POST', url: `${url}?uploads`, headers: toOther },
      { method: 'PUT', url: `${url}?acl`, headers: toOther },
      { method: 'PUT', url: '/enforced?acl', headers: toOther },
      { method: 'PUT', url, headers: { 'x-amz-acl': 'public-read' }, body },
    ]) {
      expect.soft(await gateway.send(request)).toMatchObject({ status: 400, code: 'AccessControlListNotSupported' })
    }
    for (const headers of [{ 'x-amz-acl': 'bucket-owner-full-control' }, { 'x-amz-acl': 'bucket-owner-read' }, own]) {
      expect(await gateway.send({ method: 'PUT', url, headers, body })).toMatchObject({ status: 200 })
      expect(await gateway.send({ method: 'PUT', url: `${url}?acl`, headers })).toMatchObject({ status: 200 })
      expect(await gateway.send({ method: 'PUT', url: '/enforced?acl', headers })).toMatchObject({ status: 200 })
    }
    const create = { method: 'PUT', url: '/enforced-new', headers: { ...toOther, 'x-amz-object-ownership': 'BucketOwnerEnforced' } }
    expect(await gateway.send(create)).toMatchObject({ status: 400, code: 'InvalidBucketAclWithObjectOwnership' })
    expect(await gateway.send({ method: 'HEAD', url: '/enforced-new' })).toMatchObject({ status: 404 })
  })

  test.each([
    ['BucketOwnerPreferred', undefined, 'other'],
    ['BucketOwnerPreferred', 'bucket-owner-full-control', 'owner'],
    ['ObjectWriter', 'bucket-owner-full-control', 'other'],
  ] as const)('with %s, what another user writes with the list %s belongs to the %s', async (ownership, acl, expected) => {
    const { owner, other } = gateway.users
    const bucket = `by-${ownership}-${acl ?? 'none'}`.toLowerCase()
    const body = 'x'.repeat(200)
    await gateway.send({
      method: 'PUT',
      url: `/${bucket}`,
      headers: { 'x-amz-object-ownership': ownership, 'x-amz-grant-write': id(other.accessKey) },
    })
    const headers = acl === undefined ? {} : { 'x-amz-acl': acl }
    const url = `/${bucket}/k`
    expect(await gateway.send({ method: 'PUT', url, body, headers, user: other })).toMatchObject({ status: 200 })
    const key = gateway.users[expected].ownerId
    const isReadable = acl !== undefined
    expect(await gateway.send({ method: 'GET', url })).toMatchObject({ status: isReadable ? 200 : 403 })
    expect(await gateway.send({ method: 'GET', url, user: other })).toMatchObject({ status: expected === 'other' ? 200 : 403 })
    for (const query of ['', '?list-type=2&fetch-owner=true', '?versions']) {
      expect((await gateway.send({ method: 'GET', url: `/${bucket}${query}` })).body).toContain(`<Owner><ID>${key}</ID>`)
    }
    const list = await gateway.send({ method: 'GET', url: `${url}?acl`, user: gateway.users[expected] })
    expect(list.body).toContain(`<Owner><ID>${key}</ID>`)
    if (ownership === 'ObjectWriter') expect(list.body).toContain(`<ID>${owner.ownerId}</ID>`)
    // The owner of the bucket may delete it, also when he may not read it; what he writes is his own.
    expect(await gateway.send({ method: 'PUT', url, body })).toMatchObject({ status: 200 })
    expect(await gateway.send({ method: 'GET', url })).toMatchObject({ status: 200 })
    expect(await gateway.send({ method: 'DELETE', url })).toMatchObject({ status: 204 })
  })
})
