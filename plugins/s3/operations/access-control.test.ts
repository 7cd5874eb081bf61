import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetBucketAclCommand,
  GetObjectAclCommand,
  PutBucketAclCommand,
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

test.each([
  ['x-amz-acl', 'publik', 400, 'InvalidArgument'],
  ['x-amz-acl', 'public-read', 501, 'NotImplemented'],
  ['x-amz-acl', 'private', 200, ''],
  ['x-amz-object-ownership', 'Nobody', 400, 'InvalidArgument'],
  ['x-amz-object-ownership', 'ObjectWriter', 501, 'NotImplemented'],
  ['x-amz-object-ownership', 'BucketOwnerEnforced', 200, ''],
])('a bucket made with %s: %s is answered with %i %s', async (header, value, ...[status, code]) => {
  expect(await gateway.send({ method: 'PUT', url: '/new-bucket', headers: { [header]: value } })).toMatchObject({ status, code })
})
