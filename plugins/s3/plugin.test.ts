import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { metricCollectors } from '#kernel'
import { contributions, doctor } from '#kernel/system'
import { type TestKernel, testKernel } from '#kernel/testing'
import { storagePlugin } from '../storage/plugin.ts'
import { s3Plugin } from './plugin.ts'

const plugins = [storagePlugin, s3Plugin]
const config = { 'server.port': '127.0.0.1:0' }

let gateway: TestKernel

beforeAll(async () => {
  gateway = await testKernel({ plugins, config })
})

afterAll(() => gateway.stop())

interface CreatedUser {
  readonly access_key: string
  readonly owner_id: string
  readonly secret_key: string
  readonly role: string
}

async function createUser(body: unknown = {}): Promise<CreatedUser> {
  const answer = await gateway.call('POST', '/api/v1/s3-users', body)
  expect(answer.status).toBe(201)
  return answer.body
}

function clientOf(endpoint: string, { access_key, secret_key }: CreatedUser): S3Client {
  const credentials = { accessKeyId: access_key, secretAccessKey: secret_key }
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1, credentials })
}

function s3Url({ kernel }: TestKernel): string {
  return kernel.urls.s3 ?? ''
}

test('svc doctor looks at the rights of the TLS key', async () => {
  const key = join(gateway.dir, 'key.pem')
  writeFileSync(key, '', { mode: 0o644 })
  await using svc = await testKernel({ plugins, config: { ...config, 'server.tls.key_file': key } })
  const { findings } = await svc.kernel.get(doctor).look('kernel.permissions', {})
  expect(findings).toMatchObject([{ severity: 'error', subject: { kind: 'file', id: key } }])
})

test('a created S3 user gets its secret once and can use the S3 API immediately', async () => {
  const user = await createUser()
  expect(user).toEqual({
    access_key: expect.stringMatching(/^[\w-]{22}$/),
    owner_id: expect.stringMatching(/^[0-9a-f]{64}$/),
    secret_key: expect.stringMatching(/^[\w-]{43}$/),
    role: 'userplus',
  })
  const client = clientOf(s3Url(gateway), user)
  await client.send(new CreateBucketCommand({ Bucket: 'first-bucket' }))
  await client.send(new PutObjectCommand({ Bucket: 'first-bucket', Key: 'k', Body: Buffer.alloc(200) }))
  expect((await client.send(new ListBucketsCommand({}))).Owner?.ID).toBe(user.owner_id)
  client.destroy()
  const listed = await gateway.call('GET', '/api/v1/s3-users')
  expect(listed.body).toContainEqual(
    expect.objectContaining({ access_key: user.access_key, owner_id: user.owner_id, role: 'userplus', bucket_count: 1 }),
  )
  expect(JSON.stringify(listed.body)).not.toContain(user.secret_key)
})

test('users are listed by access key with their roles', async () => {
  for (const role of ['user', 'admin']) await createUser({ role })
  const { body } = await gateway.call('GET', '/api/v1/s3-users')
  const keys = body.map(({ access_key }: CreatedUser) => access_key)
  expect(keys).toEqual([...keys].sort())
  expect(body.map(({ role }: CreatedUser) => role)).toEqual(expect.arrayContaining(['user', 'admin']))
})

test.each([
  ['an unknown role', '{"role":"root"}', 'application/json'],
  ['an unknown member', '{"role":"user","nickname":"x"}', 'application/json'],
  ['an array', '[]', 'application/json'],
  ['more than one value', '{} {}', 'application/json'],
  ['no body', '', 'application/json'],
  ['another media type', '{}', 'text/plain'],
])('an S3 user is not created from %s', async (_, body, type) => {
  const before = (await gateway.call('GET', '/api/v1/s3-users')).body.length
  const answer = await gateway.fetch('/api/v1/s3-users', { method: 'POST', body, headers: { 'content-type': type } })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ code: 'invalid_request' })
  expect((await gateway.call('GET', '/api/v1/s3-users')).body).toHaveLength(before)
})

test('users survive a restart', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-s3-users-'))
  try {
    const first = await testKernel({ plugins, config, dir })
    const { body: user } = await first.call('POST', '/api/v1/s3-users', { role: 'admin' })
    await first.stop()
    const second = await testKernel({ plugins, config, dir })
    const client = clientOf(s3Url(second), user)
    expect((await client.send(new ListBucketsCommand({}))).Buckets).toEqual([])
    client.destroy()
    await second.stop()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

async function readMemory(family: string) {
  const collectors = gateway.kernel.get(contributions).to(metricCollectors)
  const found = collectors.find(({ item }) => item.name === family)
  return await found?.item.collect(found.services)
}

test.each([
  ['svc_memory_budget_bytes', 128 * 1024 * 1024],
  ['svc_memory_used_bytes', 0],
])('%s includes XML documents', async (family, value) => {
  expect(await readMemory(family)).toContainEqual({ labels: { part: 'documents' }, value })
})

test('the memory of open connections is shown, and its limit', async () => {
  const each = 40 * 1024
  const used = async () => (await readMemory('svc_memory_used_bytes'))?.find(({ labels }) => labels.part === 'connections')?.value as number
  const before = await used()
  const socket = connect(Number(new URL(s3Url(gateway)).port), '127.0.0.1')
  await vi.waitFor(async () => expect(await used()).toBe(before + each))
  socket.destroy()
  await vi.waitFor(async () => expect(await used()).toBe(before))
  expect(await readMemory('svc_memory_budget_bytes')).toContainEqual({ labels: { part: 'connections' }, value: 4096 * each })
})
