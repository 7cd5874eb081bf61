/** S3 users over HTTP, and the immediate effect of each change on the S3 API. */
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeRole, createUser, listUsers, rotateSecret, type S3Credentials } from '../../plugins/s3/api.ts'
import { answerOf, refusalOf } from '../fixtures/admin-answers.ts'
import { type AdminData, createAdminData, internalRoot } from '../fixtures/admin-data.ts'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { sharedServe } from '../fixtures/gateways/shared-serve.ts'

let svc: Gateway
let data: AdminData
const clients: S3Client[] = []
beforeAll(async () => {
  svc = await sharedServe()
  data = createAdminData(svc)
})
afterAll(() => {
  for (const client of clients) client.destroy()
})

const path = '/api/v1/s3-users'
const of = (accessKey: string) => `${path}/${encodeURIComponent(accessKey)}`
const create = async (json: object = {}) => answerOf(createUser, await svc.call('POST', path, { json }))
const list = async () => answerOf(listUsers, await svc.call('GET', path))
const rotate = async (accessKey: string) => answerOf(rotateSecret, await svc.call('POST', `${of(accessKey)}/secret`))
const denied = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } }

function connect(user: S3Credentials): S3Client {
  const client = svc.connect(user)
  clients.push(client)
  return client
}

describe('creation', () => {
  test('creates a userplus by default, with long random keys', async () => {
    const reply = await svc.call('POST', path, { json: {} })
    expect(reply.status).toBe(201)
    expect(answerOf(createUser, reply)).toMatchObject({
      access_key: expect.stringMatching(/^[\w-]{22}$/),
      secret_key: expect.stringMatching(/^[\w-]{43}$/),
      role: 'userplus',
    })
  })

  test.each(['user', 'userplus', 'admin'])('creates a user with the role %s', async (role) => {
    const made = await create({ role })
    expect(made.role).toBe(role)
    expect(await list()).toContainEqual(expect.objectContaining({ access_key: made.access_key, role, bucket_count: 0 }))
  })

  test('shows the secret in no other answer', async () => {
    const { access_key, secret_key } = await create()
    const answers = [
      await svc.call('GET', path),
      await svc.call('PUT', of(access_key), { json: { role: 'user' } }),
      await svc.call('GET', '/api/v1/settings'),
      await svc.call('GET', '/api/v1/overview'),
    ]
    for (const { text } of answers) expect(text).not.toContain(secret_key)
    expect((await svc.call('GET', path)).text).not.toContain('secret')
  })

  test.each([
    ['an unknown role', { role: 'root' }],
    ['a role in capitals', { role: 'ADMIN' }],
    ['no role but null', { role: null }],
    ['a list of roles', { role: ['user'] }],
    ['a key of its own', { access_key: 'mine' }],
    ['a list', []],
  ])('with %s is refused with 400', async (_what, json) => {
    const before = await list()
    expect(refusalOf(await svc.call('POST', path, { json }))).toEqual([400, 'invalid_request'])
    expect(await list()).toEqual(before)
  })

  test.each([
    ['another Content-Type', '{}', { 'content-type': 'text/plain' }],
    ['a form', 'role=user', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['no Content-Type', '{}', {}],
    ['no body', '', { 'content-type': 'application/json' }],
    ['trailing content', '{}{}', { 'content-type': 'application/json' }],
    ['more than a mebibyte', '{}'.padEnd(1024 * 1024 + 1), { 'content-type': 'application/json' }],
  ])('with %s is refused with 400', async (_what, body, headers: Record<string, string>) => {
    expect(refusalOf(await svc.call('POST', path, { body, headers }))).toEqual([400, 'invalid_request'])
  })
})

test('the list is in order of access key, with the number of owned buckets, and without the internal account', async () => {
  const { access_key } = await create()
  await data.makeBucket({ owner_access_key: access_key })
  await data.makeBucket({ owner_access_key: access_key })
  const users = await list()
  const keys = users.map((user) => user.access_key)
  expect(keys).toEqual(keys.toSorted())
  expect(keys).not.toContain(internalRoot)
  expect(users).toContainEqual(expect.objectContaining({ access_key, role: 'userplus', bucket_count: 2 }))
})

describe('roles', () => {
  test('a user can use its own buckets and create none', async () => {
    const user = await create({ role: 'user' })
    const s3 = connect(user)
    const mine = await data.makeBucket({ owner_access_key: user.access_key })
    const other = await data.makeBucket()
    await s3.send(new PutObjectCommand({ Bucket: mine, Key: 'k', Body: Buffer.alloc(200) }))
    await expect(s3.send(new ListObjectsV2Command({ Bucket: other }))).rejects.toMatchObject(denied)
    await expect(s3.send(new CreateBucketCommand({ Bucket: 'made-by-a-user' }))).rejects.toMatchObject(denied)
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}))
    expect(Buckets.map(({ Name }) => Name)).toEqual([mine])
  })

  test('a userplus can create buckets and use only its own', async () => {
    const s3 = connect(await create({ role: 'userplus' }))
    await s3.send(new CreateBucketCommand({ Bucket: 'made-by-a-userplus' }))
    await expect(s3.send(new ListObjectsV2Command({ Bucket: await data.makeBucket() }))).rejects.toMatchObject(denied)
  })

  test('an admin can use every bucket', async () => {
    const s3 = connect(await create({ role: 'admin' }))
    const bucket = await data.makeBucket()
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: Buffer.alloc(200) }))
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}))
    expect(Buckets.map(({ Name }) => Name)).toContain(bucket)
  })

  test('a changed role is effective from the next request', async () => {
    const user = await create({ role: 'user' })
    const s3 = connect(user)
    const bucket = await data.makeBucket()
    const read = () => s3.send(new ListObjectsV2Command({ Bucket: bucket }))
    await expect(read()).rejects.toMatchObject(denied)
    const change = async (role: string) => answerOf(changeRole, await svc.call('PUT', of(user.access_key), { json: { role } }))
    expect(await change('admin')).toMatchObject({ access_key: user.access_key, role: 'admin', bucket_count: 0 })
    await read()
    await change('userplus')
    await expect(read()).rejects.toMatchObject(denied)
  })

  test.each([{}, { role: 'root' }, { role: null }, { role: 'user', x: 1 }, []])(
    'the body %j is refused with 400 and changes no role',
    async (json) => {
      const { access_key } = await create()
      expect(refusalOf(await svc.call('PUT', of(access_key), { json }))).toEqual([400, 'invalid_request'])
      expect(await list()).toContainEqual(expect.objectContaining({ access_key, role: 'userplus', bucket_count: 0 }))
    },
  )

  test('a body that is not declared as JSON is refused with 400 and changes no role', async () => {
    const { access_key } = await create()
    const reply = await svc.call('PUT', of(access_key), { body: '{"role":"admin"}', headers: { 'content-type': 'text/plain' } })
    expect(refusalOf(reply)).toEqual([400, 'invalid_request'])
  })
})

describe('a new secret', () => {
  test('is accepted immediately, and the old one refused immediately', async () => {
    const user = await create()
    const old = connect(user)
    await old.send(new ListBucketsCommand({}))
    const rotated = await rotate(user.access_key)
    expect(rotated).toMatchObject({ access_key: user.access_key, secret_key: expect.stringMatching(/^[\w-]{43}$/), role: 'userplus' })
    expect(rotated.secret_key).not.toBe(user.secret_key)
    await expect(old.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' })
    await connect(rotated).send(new ListBucketsCommand({}))
  })

  test('is also created for an empty object, and for no other body', async () => {
    const { access_key } = await create()
    expect((await svc.call('POST', `${of(access_key)}/secret`, { json: {} })).status).toBe(200)
    for (const json of [{ secret_key: 'mine' }, [], 'x', null]) {
      expect(refusalOf(await svc.call('POST', `${of(access_key)}/secret`, { json }))).toEqual([400, 'invalid_request'])
    }
  })
})

describe('deletion', () => {
  test('answers 204 without a body, and the user is refused immediately', async () => {
    const user = await create()
    const s3 = connect(user)
    await s3.send(new ListBucketsCommand({}))
    const reply = await svc.call('DELETE', of(user.access_key))
    expect([reply.status, reply.text]).toEqual([204, ''])
    await expect(s3.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'InvalidAccessKeyId' })
    expect((await list()).map(({ access_key }) => access_key)).not.toContain(user.access_key)
  })

  test('is refused with 409 while the user owns buckets, and succeeds once another user owns them', async () => {
    const user = await create()
    const bucket = await data.makeBucket({ owner_access_key: user.access_key })
    expect(refusalOf(await svc.call('DELETE', of(user.access_key)))).toEqual([409, 's3_user_owns_buckets'])
    await connect(user).send(new ListObjectsV2Command({ Bucket: bucket }))
    await svc.call('PUT', `/api/v1/buckets/${bucket}/owner`, { json: { owner_access_key: internalRoot } })
    expect((await svc.call('DELETE', of(user.access_key))).status).toBe(204)
  })

  test('concurrent with the creation of a bucket for the user leaves no bucket without an owner', async () => {
    const { access_key } = await create()
    const bucket = { name: 'contested-owner', owner_access_key: access_key, default_copies: 1 }
    const [made, deleted] = await Promise.all([svc.call('POST', '/api/v1/buckets', { json: bucket }), svc.call('DELETE', of(access_key))])
    expect([
      [201, 409],
      [400, 204],
    ]).toContainEqual([made.status, deleted.status])
  })

  test('keeps the objects that the user stored', async () => {
    const user = await create()
    const bucket = await data.makeBucket({ owner_access_key: user.access_key })
    await connect(user).send(new PutObjectCommand({ Bucket: bucket, Key: 'k', Body: Buffer.alloc(200, 'k') }))
    await svc.call('PUT', `/api/v1/buckets/${bucket}/owner`, { json: { owner_access_key: internalRoot } })
    await svc.call('DELETE', of(user.access_key))
    const { Body } = await connect(await create({ role: 'admin' })).send(new GetObjectCommand({ Bucket: bucket, Key: 'k' }))
    expect(await Body?.transformToString()).toBe('k'.repeat(200))
  })
})

describe.each([
  ['a change of role', 'PUT', '', { role: 'user' }],
  ['a new secret', 'POST', '/secret', {}],
  ['a deletion', 'DELETE', '', undefined],
])('%s', (_what, method, rest, json) => {
  const send = (accessKey: string) => svc.call(method, `${of(accessKey)}${rest}`, json === undefined ? {} : { json })

  test.each(['nobody', 'with space', '../../etc', 'ünïcode', "'; drop table s3_users --"])(
    'of %j, who does not exist, is 404',
    async (name) => {
      expect(refusalOf(await send(name))).toEqual([404, 's3_user_not_found'])
    },
  )

  test('of an access key in another letter case is 404', async () => {
    const { access_key } = await create()
    const other = access_key.replaceAll(/[a-z]/gi, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    expect(refusalOf(await send(other))).toEqual([404, 's3_user_not_found'])
  })

  test('of the internal account is refused with 400', async () => {
    expect(refusalOf(await send(internalRoot))).toEqual([400, 's3_user_internal'])
  })

  test('requires an operator', async () => {
    const { access_key } = await create()
    const call = { as: 'anonymous' as const, ...(json === undefined ? {} : { json }) }
    expect(refusalOf(await svc.call(method, `${of(access_key)}${rest}`, call))).toEqual([401, 'authentication_required'])
  })
})
