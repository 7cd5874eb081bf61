import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, ListBucketsCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestKernel, testKernel } from '#kernel/testing'
import { buckets } from '#plugins/storage'
import { builtinPlugins } from '../../index.ts'
import { type CreatedS3User, type S3Role, s3Users } from '../contract.ts'
import { createUser, listUsers, type S3Credentials } from './user-api.ts'

const config = {
  'server.port': '127.0.0.1:0',
  'chain.private_key': '42'.repeat(32),
  // Port 9 does not answer: users need no chain.
  'chain.rpc_url': 'http://127.0.0.1:9/',
}
const root = '__internal_root__'

let gateway: TestKernel
beforeAll(async () => {
  gateway = await testKernel({ plugins: builtinPlugins, config })
})
afterAll(() => gateway.stop())

const users = () => gateway.kernel.get(s3Users)
const pathOf = (accessKey: string): string => `/api/v1/s3-users/${encodeURIComponent(accessKey)}`
const refusal = (status: number, code: string) => ({ status, body: { code, error: expect.any(String) } })

function clientOf(credentials: { readonly access_key: string; readonly secret_key: string }, { kernel }: TestKernel = gateway): S3Client {
  return new S3Client({
    endpoint: kernel.urls.s3 ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: credentials.access_key, secretAccessKey: credentials.secret_key },
  })
}

async function create(role?: S3Role): Promise<S3Credentials> {
  const { status, body } = await gateway.call('POST', '/api/v1/s3-users', role ? { role } : {})
  expect(status).toBe(201)
  return createUser.answer.onDeepUndeclaredKey('reject').assert(body)
}

async function listed(accessKey: string) {
  const { body } = await gateway.call('GET', '/api/v1/s3-users')
  return listUsers.answer
    .onDeepUndeclaredKey('reject')
    .assert(body)
    .find(({ access_key }) => access_key === accessKey)
}

test('a role change applies from the next request', async () => {
  const user = await create('user')
  const client = clientOf(user)
  await expect(client.send(new CreateBucketCommand({ Bucket: 'grown-bucket' }))).rejects.toMatchObject({ name: 'AccessDenied' })
  const changed = await gateway.call('PUT', pathOf(user.access_key), { role: 'userplus' })
  expect(changed).toMatchObject({ status: 200, body: { access_key: user.access_key, role: 'userplus', bucket_count: 0 } })
  await client.send(new CreateBucketCommand({ Bucket: 'grown-bucket' }))
  client.destroy()
  expect(await gateway.call('PUT', pathOf(user.access_key), { role: 'admin' })).toMatchObject({ body: { role: 'admin', bucket_count: 1 } })
  expect(await listed(user.access_key)).toMatchObject({
    access_key: user.access_key,
    owner_id: user.owner_id,
    role: 'admin',
    bucket_count: 1,
  })
})

test('a new secret is shown once and works immediately; signatures with the old one are rejected', async () => {
  const old = await create()
  const before = clientOf(old)
  await before.send(new CreateBucketCommand({ Bucket: 'rotated-bucket' }))
  const presigned = await getSignedUrl(before, new GetObjectCommand({ Bucket: 'rotated-bucket', Key: 'k' }), { expiresIn: 600 })
  expect((await fetch(presigned)).status).toBe(404)
  const { status, body } = await gateway.call('POST', `${pathOf(old.access_key)}/secret`)
  expect({ status, body }).toEqual({
    status: 200,
    body: { access_key: old.access_key, owner_id: old.owner_id, secret_key: expect.stringMatching(/^[\w-]{43}$/), role: 'userplus' },
  })
  expect(body.secret_key).not.toBe(old.secret_key)
  await expect(before.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' })
  expect((await fetch(presigned)).status).toBe(403)
  const after = clientOf(body)
  expect((await after.send(new ListBucketsCommand({}))).Buckets).toHaveLength(1)
  for (const client of [before, after]) client.destroy()
  expect(JSON.stringify(await gateway.call('GET', '/api/v1/s3-users'))).not.toContain(body.secret_key)
  expect((await gateway.call('POST', `${pathOf(old.access_key)}/secret`, {})).status).toBe(200)
})

test('requests of a deleted user are rejected', async () => {
  const user = await create()
  const answer = await gateway.call('DELETE', pathOf(user.access_key))
  expect(answer).toMatchObject({ status: 204, body: undefined })
  const client = clientOf(user)
  await expect(client.send(new ListBucketsCommand({}))).rejects.toMatchObject({ name: 'InvalidAccessKeyId' })
  client.destroy()
  expect(await listed(user.access_key)).toBeUndefined()
  expect(await gateway.call('DELETE', pathOf(user.access_key))).toMatchObject(refusal(404, 's3_user_not_found'))
})

test('a user that owns a bucket cannot be deleted until the bucket has another owner', async () => {
  const user = await create()
  const client = clientOf(user)
  await client.send(new CreateBucketCommand({ Bucket: 'owned-bucket' }))
  const refused = await gateway.call('DELETE', pathOf(user.access_key))
  expect(refused).toMatchObject(refusal(409, 's3_user_owns_buckets'))
  expect(refused.body.error).toContain('owns a bucket')
  expect((await client.send(new ListBucketsCommand({}))).Buckets).toHaveLength(1)
  client.destroy()
  await gateway.call('PUT', '/api/v1/buckets/owned-bucket/owner', { owner_access_key: root })
  expect((await gateway.call('DELETE', pathOf(user.access_key))).status).toBe(204)
})

test.each([
  ['PUT', '', { role: 'user' }],
  ['POST', '/secret', undefined],
  ['DELETE', '', undefined],
])('%s %s of a missing user and of the internal account is rejected', async (method, rest, body) => {
  const count = users().list().length
  expect(await gateway.call(method, `${pathOf('nobody')}${rest}`, body)).toMatchObject(refusal(404, 's3_user_not_found'))
  expect(await gateway.call(method, `${pathOf(root)}${rest}`, body)).toMatchObject(refusal(400, 's3_user_internal'))
  expect(users().list()).toHaveLength(count)
  expect(await listed(root)).toBeUndefined()
})

test.each([
  ['PUT', '', '{"role":"root"}', 'application/json'],
  ['PUT', '', '{}', 'application/json'],
  ['PUT', '', '', 'application/json'],
  ['PUT', '', '{"role":"admin","name":"x"}', 'application/json'],
  ['PUT', '', '{"role":"user","role":"admin"}', 'application/json'],
  ['PUT', '', '{"role":"admin"} {}', 'application/json'],
  ['PUT', '', '["admin"]', 'application/json'],
  ['PUT', '', '{"role":"admin"}', 'text/plain'],
  ['POST', '/secret', '{"secret_key":"mine"}', 'application/json'],
  ['POST', '/secret', 'null', 'application/json'],
  ['POST', '/secret', '{}', 'text/plain'],
])('%s %s with the body %s as %s is rejected and changes nothing', async (method, rest, body, type) => {
  const user = await create('user')
  const answer = await gateway.fetch(`${pathOf(user.access_key)}${rest}`, { method, body, headers: { 'content-type': type } })
  expect({ status: answer.status, body: await answer.json() }).toMatchObject(refusal(400, 'invalid_request'))
  const client = clientOf(user)
  expect((await client.send(new ListBucketsCommand({}))).Owner?.ID).toBe(user.owner_id)
  client.destroy()
  expect(await listed(user.access_key)).toMatchObject({ role: 'user' })
})

test('the access key in the URL is percent-decoded and compared exactly', async () => {
  const { access_key } = await create('user')
  const encoded = [...access_key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  const changed = await gateway.call('PUT', `/api/v1/s3-users/${encoded}`, { role: 'admin' })
  expect(changed).toMatchObject({ status: 200, body: { access_key, role: 'admin' } })
  const other = access_key.replace(/[a-zA-Z]/g, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
  expect(await gateway.call('DELETE', pathOf(other))).toMatchObject(refusal(404, 's3_user_not_found'))
  expect(await gateway.call('DELETE', pathOf('a/b c'))).toMatchObject(refusal(404, 's3_user_not_found'))
  const broken = await gateway.fetch('/api/v1/s3-users/%zz', { method: 'DELETE' })
  expect(broken.status).toBe(400)
})

test('deleting a user and giving it a bucket at the same time leaves no bucket without an owner', async () => {
  const create = (name: string, { accessKey }: CreatedS3User) => gateway.kernel.get(buckets).create({ name, ownerAccessKey: accessKey })
  const [first, second] = [await users().create('user'), await users().create('user')]
  // Writes of one event loop turn run in this order, inside one commit.
  const results = await Promise.allSettled([
    users().delete(first.accessKey),
    create('too-late', first),
    create('in-time', second),
    users().delete(second.accessKey),
  ])
  expect(results).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 's3_user_not_found' } },
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 's3_user_owns_buckets' } },
  ])
  expect(gateway.kernel.get(buckets).find('too-late')).toBeUndefined()
  await expect(gateway.kernel.get(buckets).setOwner('in-time', first.accessKey)).rejects.toMatchObject({ code: 's3_user_not_found' })
  expect(gateway.kernel.get(buckets).find('in-time')?.ownerAccessKey).toBe(second.accessKey)
})

test('changes survive a restart', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-s3-users-'))
  try {
    const before = await testKernel({ plugins: builtinPlugins, config, dir })
    const all = before.kernel.get(s3Users)
    const [kept, gone] = [await all.create('user'), await all.create('user')]
    await all.setRole(kept.accessKey, 'userplus')
    const { secretKey } = await all.rotateSecret(kept.accessKey)
    await all.delete(gone.accessKey)
    await before.stop()
    await using after = await testKernel({ plugins: builtinPlugins, config, dir })
    expect(after.kernel.get(s3Users).list()).toEqual([
      {
        accessKey: kept.accessKey,
        ownerId: kept.ownerId,
        role: 'userplus',
        createdAtMs: kept.createdAtMs,
        name: null,
        disabledAtMs: null,
        usedAtMs: null,
      },
    ])
    const client = clientOf({ access_key: kept.accessKey, secret_key: secretKey }, after)
    expect((await client.send(new ListBucketsCommand({}))).Owner?.ID).toBe(kept.ownerId)
    client.destroy()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
