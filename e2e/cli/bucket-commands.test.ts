/** `svc admin bucket …` against a running service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { svcProgram } from '../../cli/testing/svc-program.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.[Symbol.asyncDispose]())

const bucket = (...words: string[]) => service.svc('admin', 'bucket', ...words)
const json = async (...words: string[]) => JSON.parse((await bucket(...words, '--json')).stdout)

test('buckets are created, listed and shown, as tables and as the JSON of the API', async () => {
  expect(await bucket('list')).toEqual({ code: 0, stdout: 'No buckets found.\n', stderr: '' })
  const { access_key } = JSON.parse((await service.svc('admin', 's3-user', 'create', '--json')).stdout)
  expect(await bucket('create', 'photos', '--copies', '4', '--minimum-copies', '2')).toEqual({
    code: 0,
    stdout: 'Bucket created\nBucket: photos\nOwner: __internal_root__\nCopies: 4\nMinimum copies: 2\n',
    stderr: '',
  })
  expect(await json('create', 'music', '--owner', access_key)).toMatchObject({ name: 'music', owner_access_key: access_key })
  const { stdout } = await bucket('list')
  expect(stdout).toMatch(
    /^NAME +OWNER +COPIES +MINIMUM +OBJECTS +SIZE +PUBLIC +CREATED\nmusic +\S+ +3 +3 +0 +0 B +\S+Z\nphotos +__internal_root__ +4 +2 /,
  )
  expect(await json('list')).toEqual((await service.call('GET', '/api/v1/buckets')).json)
  expect((await bucket('info', 'photos')).stdout).toMatch(
    /^Bucket: photos\nOwner: __internal_root__\nCopies: 4\nMinimum copies: 2\nObjects: 0\nSize: 0 B\nVersioning: Enabled\nPublic access: none\nCreated: \S+Z\nUpdated: \S+Z\n\nData sets\n/,
  )
  expect(await json('info', 'photos')).toEqual((await service.call('GET', '/api/v1/buckets/photos')).json)
})

test('the copy policy is shown and raised, and a lower minimum needs --yes', async () => {
  await bucket('create', 'policies', '--copies', '4')
  const minimum = async () => (await json('info', 'policies')).minimum_durable_copies
  expect((await bucket('policy', 'policies', '--minimum-copies', '3')).stderr).toBe(
    'fatal: lowering the minimum of copies of policies from 4 to 3 must be confirmed with --yes\n',
  )
  expect(await minimum()).toBe(4)
  expect(await bucket('policy', 'policies', '--minimum-copies', '3', '--yes')).toMatchObject({
    code: 0,
    stdout: 'Copy policy changed\nBucket: policies\nOwner: __internal_root__\nCopies: 4\nMinimum copies: 3\n',
  })
  expect(await json('policy', 'policies', '--copies', '5', '--minimum-copies', '4')).toMatchObject({
    default_copies: 5,
    minimum_durable_copies: 4,
  })
  expect(await json('policy', 'policies')).toMatchObject({ name: 'policies', default_copies: 5, minimum_durable_copies: 4 })
})

test('a bucket is given to another S3 user and back to the service', async () => {
  const { access_key } = JSON.parse((await service.svc('admin', 's3-user', 'create', '--json')).stdout)
  await bucket('create', 'owned')
  expect((await bucket('owner', 'owned', access_key)).stdout).toContain(`Owner changed\nBucket: owned\nOwner: ${access_key}\n`)
  expect(await json('owner', 'owned', '__internal_root__')).toMatchObject({ owner_access_key: '__internal_root__' })
})

/** The program with a text on its standard input. */
async function pipe(words: readonly string[], input: string) {
  const line = [svcProgram, 'admin', 'bucket', ...words, '--admin-url', service.adminUrl, '--config', service.configPath]
  const child = spawn(process.execPath, line, {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined).end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

test('lifecycle rules are written to a pipe and read from one, and a mistake there is named', async () => {
  await bucket('create', 'ruled')
  const rules = [{ id: 'logs', enabled: true, prefix: 'logs/', expire_days: 30 }]
  expect(await pipe(['lifecycle', 'ruled', '--rules', '-', '--yes', '--json'], JSON.stringify({ rules }))).toEqual({
    code: 0,
    stdout: `${JSON.stringify({ rules }, null, 2)}\n`,
    stderr: '',
  })
  const written = (await bucket('lifecycle', 'ruled', '--json')).stdout
  expect(await pipe(['lifecycle', 'ruled', '--rules', '-'], written)).toMatchObject({ code: 0, stderr: '' })
  expect((await json('settings', 'ruled')).lifecycle_rules).toEqual(rules)
  expect(await pipe(['lifecycle', 'ruled', '--rules', '-'], written.replace('30', '3O'))).toEqual({
    code: 2,
    stdout: '',
    stderr: 'fatal: standard input, line 7: rules.0 needs a comma or }, not "O"; see svc admin bucket lifecycle --help\n',
  })
})

test('the help of a command shows the form of its rules', async () => {
  const { code, stdout } = await service.svc('admin', 'bucket', 'lifecycle', '--help')
  expect(code).toBe(0)
  expect(stdout.replace(/\s+/g, ' ')).toContain('{"rules": [{"enabled": true, "prefix": "logs/", "expire_days": 30}]}')
  expect(stdout).toContain('svc admin bucket lifecycle photos --rules rules.json --yes')
})

test.each([
  [['create', 'No_Bucket'], 1, expect.stringContaining('No_Bucket')],
  [['create', 'fine', '--copies', '9'], 2, '--copies must be a whole number from 1 to 8, got 9'],
  [['create', 'fine', '--copies', '2', '--minimum-copies', '3'], 1, expect.stringContaining('must not be above')],
  [['create', 'fine', '--owner', 'nobody'], 1, "There is no S3 user 'nobody'; create it first, or name __internal_root__."],
  [['info', 'nowhere'], 1, "there is no bucket 'nowhere'"],
  [['policy', 'nowhere', '--copies', '4'], 1, "there is no bucket 'nowhere'"],
  [['owner', 'nowhere', '__internal_root__'], 1, "there is no bucket 'nowhere'"],
  [
    ['access', 'nowhere', '--list', 'public-read'],
    2,
    '--list public-read, which can give others access to nowhere, must be confirmed with --yes',
  ],
  [['access', 'nowhere', '--list', 'public'], 2, expect.stringContaining('--list must be one of private, public-read')],
  [['tags', 'nowhere', '--set', 'team'], 2, '--set must be key=value, got "team"'],
  [['lifecycle', 'nowhere'], 1, "there is no bucket 'nowhere'"],
  [['owner', 'nowhere'], 2, 'svc admin bucket owner needs <access key>; see svc admin bucket owner --help'],
  [['info'], 2, 'svc admin bucket info needs <bucket>; see svc admin bucket info --help'],
])('bucket %j is refused in one line', async (words, code, message) => {
  const refused = await bucket(...words, '--json')
  expect(refused).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^fatal: [^\n]+\n$/) })
  expect(refused.stderr.slice('fatal: '.length, -1)).toEqual(message)
})

test('the copies of a bucket cannot be lowered', async () => {
  await bucket('create', 'kept', '--copies', '4', '--minimum-copies', '1')
  expect(await bucket('policy', 'kept', '--copies', '3')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^fatal: [^\n]+\n$/),
  })
  expect((await json('info', 'kept')).default_copies).toBe(4)
})
