import { CreateBucketCommand, ListBucketsCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFakeClock, openTestDatabase, promised } from '#kernel/testing'
import { storageMigrations } from '../../storage/migrations/all-migrations.ts'
import { migrations } from '../migrations.ts'
import { startTestGateway } from '../testing/test-gateway.ts'
import { changeUser, listUsers } from './user-api.ts'

let gateway: Awaited<ReturnType<typeof startTestGateway>>
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const found = async (accessKey: string) =>
  promised(listUsers, await gateway.call('GET', '/api/v1/s3-users')).find(({ access_key }) => access_key === accessKey)
const change = (accessKey: string, body: object) => gateway.call('PUT', `/api/v1/s3-users/${accessKey}/profile`, body)

test('a disabled user is refused like an unknown one, keeps its buckets, and works again when enabled', async () => {
  const { owner } = gateway.users
  await gateway.client(owner).send(new CreateBucketCommand({ Bucket: 'kept' }))
  const list = () => gateway.client(owner).send(new ListBucketsCommand({}))
  expect(promised(changeUser, await change(owner.accessKey, { is_disabled: true }))).toMatchObject({ is_disabled: true, bucket_count: 1 })
  await expect(list()).rejects.toMatchObject({ name: 'InvalidAccessKeyId' })
  const other = gateway.client(gateway.users.other)
  expect((await other.send(new ListBucketsCommand({}))).Buckets).toEqual([])
  await change(owner.accessKey, { is_disabled: false })
  expect((await list()).Buckets).toHaveLength(1)
})

test('users have names, which are not secrets and not unique', async () => {
  const { body } = await gateway.call('POST', '/api/v1/s3-users', { role: 'user', name: 'backup' })
  expect(await found(body.access_key)).toMatchObject({ name: 'backup', created_at: expect.any(String) })
  await change(body.access_key, { name: null })
  expect((await found(body.access_key))?.name).toBeNull()
  expect((await change(body.access_key, {})).status).toBe(400)
  expect((await change('unknown', { name: 'x' })).status).toBe(404)
})

test('the last use is that of a verified signature: an attempt with a wrong secret key does not count', async () => {
  const { plain } = gateway.users
  expect((await found(plain.accessKey))?.last_used_at).toBeNull()
  await expect(gateway.client({ ...plain, secretKey: 'wrong' }).send(new ListBucketsCommand({}))).rejects.toThrow()
  expect((await found(plain.accessKey))?.last_used_at).toBeNull()
  await gateway.client(plain).send(new ListBucketsCommand({}))
  expect((await found(plain.accessKey))?.last_used_at).toEqual(expect.any(String))
})

test('the last use survives a restart once it is written', async () => {
  const { createUserDirectory } = await import('./user-directory.ts')
  await using rows = await openTestDatabase([
    { name: 'storage', migrations: storageMigrations },
    { name: 's3', migrations },
  ])
  const clock = createFakeClock()
  const open = () => createUserDirectory({ database: rows, buckets: { countOwnedBy: async () => 0 }, clock })
  const users = await open()
  const { accessKey } = await users.create('user')
  users.noteUse(accessKey)
  expect((await open()).find(accessKey)?.usedAtMs).toBeNull()
  await users.writeUses()
  expect((await open()).find(accessKey)?.usedAtMs).toBe(clock.now())
  expect(users.find(accessKey)?.usedAtMs).toBe(clock.now())
})
