import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandWords, runCommand } from '#cli/testing'
import { type TestKernel, testKernel } from '#kernel/testing'
import { svcHome } from '../../../../cli/testing/run-svc.ts'
import { builtinPlugins } from '../../../index.ts'
import { s3Users } from '../../contract.ts'
import { userCommands } from './commands.ts'

let gateway: TestKernel
beforeAll(async () => {
  const config = {
    'server.port': '127.0.0.1:0',
    'chain.private_key': '42'.repeat(32),
    // Port 9 does not answer: users need no chain.
    'chain.rpc_url': 'http://127.0.0.1:9/',
  }
  gateway = await testKernel({ plugins: builtinPlugins, config })
})
afterAll(() => gateway.stop())

const run = (name: string, words: CommandWords = {}) =>
  runCommand(
    userCommands.find((command) => command.name === `admin s3-user ${name}`),
    gateway,
    words,
  )
const users = () => gateway.kernel.get(s3Users)
const roleOf = (accessKey: string) => users().find(accessKey)?.role
const of = (accessKey: string, flags: Readonly<Record<string, unknown>> = {}) => ({ parameters: { accessKey }, flags })

/** Parses the credentials that a command printed. */
function readCredentials(stdout: string) {
  const [, title, accessKey = '', secretKey = '', role] =
    /^(.+)\nAccess key: (\S{22})\nSecret key: (\S{43})\nRole: (\S+)\n$/.exec(stdout) ?? []
  return { title, accessKey, secretKey, role }
}

async function canSignIn({ accessKey, secretKey }: { readonly accessKey: string; readonly secretKey: string }): Promise<boolean> {
  const client = new S3Client({
    endpoint: gateway.kernel.urls.s3 ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  })
  try {
    await client.send(new ListBucketsCommand({}))
    return true
  } catch (error) {
    expect(error).toMatchObject({ name: expect.stringMatching(/^(InvalidAccessKeyId|SignatureDoesNotMatch)$/) })
    return false
  } finally {
    client.destroy()
  }
}

test('the svc program creates, lists, changes, rotates and deletes a user', async () => {
  using home = svcHome()
  const env = { SVC_ADMIN_PASSWORD: gateway.password }
  const svc = (...words: string[]) => home.run(['admin', '--admin-url', gateway.url, 's3-user', ...words], env)
  expect((await svc('list')).stdout).toBe('No S3 users found.\n')
  const created = readCredentials((await svc('create', '--role', 'user')).stdout)
  expect(created).toMatchObject({ title: 'S3 user created', role: 'user' })
  expect(await canSignIn(created)).toBe(true)
  expect((await svc('update', created.accessKey, '--role', 'userplus')).stdout).toMatch(
    new RegExp(`^ACCESS_KEY +ROLE +BUCKETS +VERSIONS +SIZE +OWNER_ID\\n${created.accessKey} +userplus +0/1000 +0 +0 B +[0-9a-f]{64}\\n$`),
  )
  const limits = await svc('limits', created.accessKey, '--buckets', '5', '--objects', 'none')
  expect(limits.stdout).toMatch(
    /\nBuckets: 0, limit 5 \(own limit\)\nObject versions: 0, no limit \(own limit\)\nBytes: 0, no limit \(from the settings\)\n/,
  )
  expect((await svc('limits', created.accessKey)).stdout).toBe(limits.stdout)
  expect((await svc('limits', created.accessKey, '--buckets', 'default')).stdout).toContain('Buckets: 0, limit 1000 (from the settings)')
  expect(await svc('limits', created.accessKey, '--bytes', 'many')).toMatchObject({ code: 2 })
  expect((await svc('limits')).stdout).toMatch(/^Buckets: 0, no limit\n/)
  expect(await svc('limits', '--buckets', '5')).toMatchObject({ code: 2 })
  expect(await svc('limits', 'nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no S3 user nobody') })
  const rotated = readCredentials((await svc('rotate-secret', created.accessKey)).stdout)
  expect(rotated).toMatchObject({ title: 'S3 user secret rotated', accessKey: created.accessKey, role: 'userplus' })
  expect([await canSignIn(created), await canSignIn(rotated)]).toEqual([false, true])
  const { stdout: list } = await svc('list')
  expect(list).toContain(created.accessKey)
  expect(list).not.toContain(rotated.secretKey)
  expect(await svc('delete', created.accessKey, '--yes')).toEqual({
    code: 0,
    stdout: `S3 user deleted: ${created.accessKey}\n`,
    stderr: '',
  })
  expect(await canSignIn(rotated)).toBe(false)
})

test('with --json standard output holds only the answer of the service', async () => {
  const created = JSON.parse((await run('create', { flags: { json: true } })).stdout)
  expect(created).toEqual({
    access_key: expect.any(String),
    owner_id: expect.any(String),
    secret_key: expect.any(String),
    role: 'userplus',
  })
  const item = { access_key: created.access_key, owner_id: created.owner_id, role: 'user', bucket_count: 0 }
  expect(JSON.parse((await run('update', of(created.access_key, { role: 'user', json: true }))).stdout)).toMatchObject(item)
  expect(JSON.parse((await run('list', { flags: { json: true } })).stdout)).toContainEqual(expect.objectContaining(item))
  const rotated = JSON.parse((await run('rotate-secret', of(created.access_key, { json: true }))).stdout)
  expect(rotated).toEqual({ access_key: created.access_key, owner_id: created.owner_id, secret_key: expect.any(String), role: 'user' })
  expect(rotated.secret_key).not.toBe(created.secret_key)
  expect(JSON.parse((await run('delete', of(created.access_key, { yes: true, json: true }))).stdout)).toEqual({ status: 'deleted' })
})

test('the role admin needs --yes', async () => {
  const { accessKey } = readCredentials((await run('create', { flags: { role: 'admin', yes: true } })).stdout)
  expect(roleOf(accessKey)).toBe('admin')
  await run('update', of(accessKey, { role: 'user' }))
  expect(roleOf(accessKey)).toBe('user')
  await run('update', of(accessKey, { role: 'admin', yes: true }))
  expect(roleOf(accessKey)).toBe('admin')
})

const unconfirmed: readonly (readonly [name: string, flags: Readonly<Record<string, unknown>>])[] = [
  ['create', { role: 'admin' }],
  ['update', { role: 'admin' }],
  ['delete', {}],
]

test.each(unconfirmed)('%s with %j is rejected without --yes, before any request', async (name, flags) => {
  const { accessKey } = await users().create('user')
  const before = users().list()
  // Port 9 does not answer, so a request would fail with another error.
  const words = { ...(name !== 'create' && { parameters: { accessKey } }), flags: { ...flags, adminUrl: 'http://127.0.0.1:9' } }
  await expect(run(name, words)).rejects.toMatchObject({
    message: expect.stringMatching(/must be confirmed with --yes$/),
    exitCode: 2,
  })
  expect(users().list()).toEqual(before)
})

const unfit: readonly (readonly [words: readonly string[], message: string])[] = [
  [['create', '--role', 'root'], '--role must be one of user, userplus, admin, got "root"'],
  [['update', 'Q3bXk0r9T2mZ5vYw8LsNaA'], 'svc admin s3-user update needs --role; see svc admin s3-user update --help'],
  [['rotate-secret'], 'svc admin s3-user rotate-secret needs <access key>; see svc admin s3-user rotate-secret --help'],
]

test.each(unfit)('usage error: svc admin s3-user %j is rejected with one line', async (words, message) => {
  using home = svcHome()
  expect(await home.run(['admin', 's3-user', ...words])).toEqual({ code: 2, stdout: '', stderr: `fatal: ${message}\n` })
})

test('the help of a command shows its roles and an example', async () => {
  using home = svcHome()
  const { code, stdout } = await home.run(['admin', 's3-user', 'create', '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/--role +user \| userplus \| admin/)
  expect(stdout).toContain('svc admin s3-user create --role admin --yes')
})

test('errors of the service keep their code', async () => {
  await expect(run('delete', of('nobody', { yes: true }))).rejects.toMatchObject({ code: 's3_user_not_found', exitCode: 1 })
  await expect(run('rotate-secret', of('__internal_root__'))).rejects.toMatchObject({ code: 's3_user_internal', exitCode: 1 })
})
