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
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway } from '../testing/test-gateway.ts'

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
  const ID = gateway.users.owner.accessKey
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

const xml = (owner: string, grants: string) =>
  `<AccessControlPolicy><Owner><ID>${owner}</ID></Owner><AccessControlList>${grants}</AccessControlList></AccessControlPolicy>`
const grant = (grantee: string, permission: string) => `<Grant><Grantee>${grantee}</Grantee><Permission>${permission}</Permission></Grant>`
const everyone = '<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>'

type Write = (owner: string) => { readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

const writes: [string, Write, string, number][] = [
  ['a public list', () => ({ headers: { 'x-amz-acl': 'public-read' } }), 'AccessControlListNotSupported', 400],
  ['an unknown name', () => ({ headers: { 'x-amz-acl': 'publik' } }), 'InvalidArgument', 400],
  ['a grant', () => ({ headers: { 'x-amz-grant-read': 'id="x"' } }), 'AccessControlListNotSupported', 400],
  ['a malformed grant', () => ({ headers: { 'x-amz-grant-read': 'x' } }), 'InvalidArgument', 400],
  ['a name and a grant', () => ({ headers: { 'x-amz-acl': 'private', 'x-amz-grant-read': 'id="x"' } }), 'InvalidRequest', 400],
  ['nothing', () => ({}), 'MissingSecurityHeader', 400],
  ['a name and a list', (id) => ({ headers: { 'x-amz-acl': 'private' }, body: xml(id, '') }), 'UnexpectedContent', 400],
  ['no grants', (id) => ({ body: xml(id, '') }), 'AccessControlListNotSupported', 400],
  [
    'a grant to everyone',
    (id) => ({ body: xml(id, grant(`<ID>${id}</ID>`, 'FULL_CONTROL') + grant(everyone, 'READ')) }),
    'AccessControlListNotSupported',
    400,
  ],
  ['less than full control', (id) => ({ body: xml(id, grant(`<ID>${id}</ID>`, 'READ')) }), 'AccessControlListNotSupported', 400],
  ['an unknown permission', (id) => ({ body: xml(id, grant(`<ID>${id}</ID>`, 'ALL')) }), 'MalformedACLError', 400],
  ['101 grants', (id) => ({ body: xml(id, grant(`<ID>${id}</ID>`, 'READ').repeat(101)) }), 'InvalidRequest', 400],
  ['another owner', () => ({ body: xml('somebody', grant('<ID>somebody</ID>', 'FULL_CONTROL')) }), 'AccessDenied', 403],
  ['no grantee', (id) => ({ body: xml(id, '<Grant><Permission>READ</Permission></Grant>') }), 'MalformedXML', 400],
]

test.each(writes)('an access control list with %s is refused', async (...[, write, code, status]) => {
  for (const url of [`/${Bucket}?acl`, `/${Bucket}/k?acl`]) {
    expect(await gateway.send({ method: 'PUT', url, ...write(gateway.users.owner.accessKey) })).toMatchObject({ code, status })
  }
})

test('the list of a missing object, of a delete marker and of a missing bucket is refused', async () => {
  const marker = await gateway.client().send(new DeleteObjectCommand({ Bucket, Key: 'deleted' }))
  for (const method of ['GET', 'PUT']) {
    const ask = (path: string) => gateway.send({ method, url: `/${path}`, headers: { 'x-amz-acl': 'private' } })
    expect(await ask(`${Bucket}/absent?acl`)).toMatchObject({ status: 404, code: 'NoSuchKey' })
    expect(await ask(`${Bucket}/k?acl&versionId=none`)).toMatchObject({ status: 404, code: 'NoSuchVersion' })
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
  ['x-amz-acl', 'public-read', 400, 'InvalidBucketAclWithObjectOwnership'],
  ['x-amz-acl', 'authenticated-read', 400, 'InvalidBucketAclWithObjectOwnership'],
  ['x-amz-acl', 'private', 200, ''],
  ['x-amz-grant-read', 'uri="http://acs.amazonaws.com/groups/global/AllUsers"', 400, 'InvalidBucketAclWithObjectOwnership'],
  ['x-amz-grant-full-control', 'id="another"', 400, 'InvalidBucketAclWithObjectOwnership'],
  ['x-amz-grant-full-control', 'id="OWNER"', 200, ''],
  ['x-amz-grant-full-control', 'everybody', 400, 'InvalidArgument'],
  ['x-amz-object-ownership', 'Nobody', 400, 'InvalidArgument'],
  ['x-amz-object-ownership', 'ObjectWriter', 501, 'NotImplemented'],
  ['x-amz-object-ownership', 'BucketOwnerPreferred', 501, 'NotImplemented'],
  ['x-amz-object-ownership', 'BucketOwnerEnforced', 200, ''],
])('a bucket made with %s: %s is answered with %i %s', async (...[header, value, status, code]) => {
  expect(
    await gateway.send({ method: 'PUT', url: '/new-bucket', headers: { [header]: value.replace('OWNER', gateway.users.owner.accessKey) } }),
  ).toMatchObject({ status, code })
})

const many = Array.from({ length: 101 }, () => id('x')).join()

test.each([
  ['a public list', { 'x-amz-acl': 'public-read-write' }, 'AccessControlListNotSupported'],
  ['an unknown list', { 'x-amz-acl': 'Private' }, 'InvalidArgument'],
  ['a grant to another user', { 'x-amz-grant-read': id('another') }, 'AccessControlListNotSupported'],
  ['a grant to an email address', { 'x-amz-grant-read': 'emailAddress="a@example.org"' }, 'AccessControlListNotSupported'],
  ['a malformed grant', { 'x-amz-grant-write': 'id' }, 'InvalidArgument'],
  ['101 grants', { 'x-amz-grant-write': many }, 'InvalidRequest'],
  ['a list and a grant', { 'x-amz-acl': 'private', 'x-amz-grant-read': id('x') }, 'InvalidRequest'],
])('objects written with %s are refused, by every operation', async (_name, headers, code) => {
  const source = { 'x-amz-copy-source': `${Bucket}/k` }
  for (const request of [
    { method: 'PUT', url: `/${Bucket}/written`, headers, body: 'x'.repeat(200) },
    { method: 'PUT', url: `/${Bucket}/written`, headers: { ...headers, ...source } },
    { method: 'POST', url: `/${Bucket}/written?uploads`, headers },
  ]) {
    expect(await gateway.send(request)).toMatchObject({ status: 400, code })
  }
  expect(await gateway.send({ method: 'GET', url: `/${Bucket}/written` })).toMatchObject({ status: 404 })
})

test('objects may be written with the list that they get anyway', async () => {
  const owner = id(gateway.users.owner.accessKey)
  for (const headers of [
    { 'x-amz-acl': 'bucket-owner-full-control' },
    { 'x-amz-grant-full-control': owner },
    { 'x-amz-grant-full-control': owner, 'x-amz-grant-read': `${owner}, ID=${gateway.users.owner.accessKey}` },
  ]) {
    const url = `/${Bucket}/same`
    expect(await gateway.send({ method: 'PUT', url, headers, body: 'x'.repeat(200) })).toMatchObject({ status: 200 })
    expect(await gateway.send({ method: 'PUT', url: `${url}?acl`, headers })).toMatchObject({ status: 200 })
    expect(await gateway.send({ method: 'PUT', url: `/${Bucket}?acl`, headers })).toMatchObject({ status: 200 })
  }
  const onlyRead = { 'x-amz-grant-read': owner }
  expect(await gateway.send({ method: 'PUT', url: `/${Bucket}/same?acl`, headers: onlyRead })).toMatchObject({ status: 400 })
})

test('the owner of a bucket owns its objects: only that ownership can be set', async () => {
  const client = gateway.client()
  const put = (...ownerships: ObjectOwnership[]) =>
    client.send(
      new PutBucketOwnershipControlsCommand({
        Bucket,
        OwnershipControls: { Rules: ownerships.map((ObjectOwnership) => ({ ObjectOwnership })) },
      }),
    )
  await put('BucketOwnerEnforced')
  const deleted = await client.send(new DeleteBucketOwnershipControlsCommand({ Bucket }))
  expect(deleted.$metadata.httpStatusCode).toBe(204)
  await expect(put('BucketOwnerPreferred')).rejects.toMatchObject({ name: 'NotImplemented' })
  await expect(put('ObjectWriter')).rejects.toMatchObject({ name: 'NotImplemented' })
  await expect(put('Nobody' as never)).rejects.toMatchObject({ name: 'MalformedXML' })
  await expect(put('BucketOwnerEnforced', 'BucketOwnerEnforced')).rejects.toMatchObject({ name: 'MalformedXML' })
  for (const user of [gateway.users.owner, gateway.users.admin]) {
    const { OwnershipControls } = await gateway.client(user).send(new GetBucketOwnershipControlsCommand({ Bucket }))
    expect(OwnershipControls).toEqual({ Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] })
  }
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const request = { method, url: `/${Bucket}?ownershipControls`, user: gateway.users.other }
    expect(await gateway.send(request)).toMatchObject({ status: 403, code: 'AccessDenied' })
    expect(await gateway.send({ ...request, url: '/absent?ownershipControls' })).toMatchObject({ status: 404, code: 'NoSuchBucket' })
    expect(await gateway.sendUnsigned(method, request.url)).toMatchObject({ status: 403 })
  }
})
