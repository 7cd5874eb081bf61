import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '#cli/testing'
import { type TestKernel, testKernel } from '#kernel/testing'
import { svcHome } from '../../../../cli/testing/run-svc.ts'
import { builtinPlugins } from '../../../index.ts'
import { bucketSettingCommands } from './commands.ts'

type Flags = Readonly<Record<string, unknown>>

let gateway: TestKernel
beforeAll(async () => {
  const config = {
    'server.port': '127.0.0.1:0',
    's3.public_access': true,
    'chain.private_key': '42'.repeat(32),
    // Port 9 does not answer: these settings need no chain.
    'chain.rpc_url': 'http://127.0.0.1:9/',
  }
  gateway = await testKernel({ plugins: builtinPlugins, config })
})
afterAll(() => gateway.stop())

let made = 0
const nextNumber = () => {
  made += 1
  return made
}

/** Runs commands on a new bucket. */
async function makeBucket() {
  const name = `settings-${nextNumber()}`
  expect(await gateway.call('POST', '/api/v1/buckets', { name, owner_access_key: '__internal_root__' })).toMatchObject({ status: 201 })
  return { name, ...commandsOn(name) }
}

function commandsOn(bucket: string) {
  const run = (name: string, flags: Flags = {}) => {
    const command = bucketSettingCommands.find((one) => one.name === `admin bucket ${name}`)
    return runCommand(command, gateway, { parameters: { bucket }, flags })
  }
  return {
    run,
    json: async (name: string, flags: Flags = {}) => JSON.parse((await run(name, { ...flags, json: true })).stdout),
    settings: async () => (await gateway.call('GET', `/api/v1/buckets/${bucket}/s3-settings`)).body,
  }
}

function makeFile(content: unknown): string {
  const name = `rules-${nextNumber()}.json`
  writeFileSync(join(gateway.dir, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return name
}

const corsRule = {
  id: 'page',
  allowed_origins: ['https://page.example'],
  allowed_methods: ['GET', 'PUT'],
  allowed_headers: ['*'],
  expose_headers: ['ETag'],
  max_age_seconds: 60,
}
const logs = { id: 'logs', enabled: true, prefix: 'logs/', expire_days: 30, noncurrent_days: 7 }

test('all settings of a bucket are shown in words, and as the JSON of the API', async () => {
  const { run, json, settings } = await makeBucket()
  expect((await run('settings')).stdout).toMatch(
    /^Access\nObject ownership: \w+\nPublic access block: off\n.+\n.+\n {2}The owner has full control\n\nCORS rules\nNo CORS rules: .+\n\nTags\nNo tags\.\n\nQuota\nObject versions: 0, no limit\nSize: 0 B, no limit\n\nLifecycle rules\nNo lifecycle rules: .+\n$/,
  )
  await run('tags', { set: 'team=web' })
  await run('cors', { rules: makeFile({ rules: [corsRule] }) })
  await run('lifecycle', { rules: makeFile({ rules: [logs] }), yes: true })
  const { stdout } = await run('settings')
  expect(stdout).toContain('\nteam  web\n')
  expect(stdout).toMatch(/\npage +https:\/\/page\.example +GET,PUT +\* +ETag +60 s\n/)
  expect(stdout).toContain('\nrule logs: keys that begin with logs/\n  objects get a delete marker 30 days after their upload\n')
  expect(await json('settings')).toEqual(await settings())
})

test('a quota is shown and changed by one member', async () => {
  const { run, json, settings } = await makeBucket()
  expect((await run('quota', { bytes: '5GiB' })).stdout).toBe('Object versions: 0, no limit\nSize: 0 B, limit 5.00 GiB\n')
  await run('quota', { objects: '7' })
  expect(await json('quota')).toEqual({ objects: 7, bytes: 5 * 2 ** 30, usage: { objects: 0, bytes: 0 } })
  await run('quota', { objects: 'none', bytes: 'none' })
  expect((await settings()).quota).toMatchObject({ objects: null, bytes: null })
  await expect(run('quota', { bytes: 'much' })).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('not "much"') })
})

test('access is shown and changed, and what opens it needs --yes before any request', async () => {
  const { name, run, json, settings } = await makeBucket()
  expect(await json('access')).toEqual((await settings()).access)
  for (const flags of [{ list: 'public-read' }, { blockPublic: 'off' }, { ownership: 'ObjectWriter' }]) {
    await expect(run('access', { ...flags, adminUrl: 'http://127.0.0.1:9' })).rejects.toMatchObject({
      message: expect.stringMatching(`^--.+, which can give others access to ${name}, must be confirmed with --yes$`),
      exitCode: 2,
    })
  }
  const opened = await run('access', { list: 'public-read', yes: true })
  expect(opened.stdout).toMatch(/^Access changed\nObject ownership: /)
  expect(opened.stdout).toContain('\n  Everyone, without a signature, may list the keys\n')
  expect(await json('access', { list: 'private', blockPublic: 'on' })).toMatchObject({
    grants: [{ grantee: 'owner', permission: 'FULL_CONTROL' }],
    block: { block_public_acls: true, restrict_public_buckets: true },
  })
  expect(await json('access', { ownership: 'BucketOwnerEnforced' })).toMatchObject({ ownership: 'BucketOwnerEnforced' })
  expect((await settings()).access).toMatchObject({ has_lists: false, block: { ignore_public_acls: true } })
})

test('a public list against the public access block is refused with the code of the service', async () => {
  const { run } = await makeBucket()
  await run('access', { blockPublic: 'on' })
  await expect(run('access', { list: 'public-read', yes: true })).rejects.toMatchObject({
    message: expect.stringContaining('BlockPublicAcls'),
    code: 's3_setting_refused',
    exitCode: 1,
  })
})

test('tags are added, changed, removed and replaced', async () => {
  const { run, json, settings } = await makeBucket()
  expect(await json('tags')).toEqual({ tags: [] })
  expect((await run('tags', { set: 'team=web' })).stdout).toBe('Tags changed\nKEY   VALUE\nteam  web\n')
  expect(await json('tags', { set: 'stage=a=b' })).toEqual({
    tags: [
      { key: 'stage', value: 'a=b' },
      { key: 'team', value: 'web' },
    ],
  })
  expect(await json('tags', { set: 'team=', remove: 'stage' })).toEqual({ tags: [{ key: 'team', value: '' }] })
  expect(await json('tags')).toEqual({ tags: (await settings()).tags })
  expect(await json('tags', { clear: true, set: 'only=one' })).toEqual({ tags: [{ key: 'only', value: 'one' }] })
  expect((await run('tags', { clear: true })).stdout).toBe('Tags changed\nNo tags.\n')
  expect((await settings()).tags).toEqual([])
  await expect(run('tags', { set: 'aws:x=1' })).rejects.toMatchObject({ code: 's3_setting_refused', exitCode: 1 })
})

test('repeated flags set several tags', async () => {
  const { name, settings } = await makeBucket()
  using home = svcHome()
  const words = ['admin', 'bucket', 'tags', name, '--set', 'a=1', '--set', 'b=2', '--admin-url', gateway.url]
  expect(await home.run(words, { SVC_ADMIN_PASSWORD: gateway.password })).toMatchObject({ code: 0, stderr: '' })
  expect((await settings()).tags).toEqual([
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ])
})

test('what cors --json prints is changed and given back', async () => {
  const { run, json, settings } = await makeBucket()
  expect(await json('cors', { rules: makeFile({ rules: [corsRule] }) })).toEqual({ rules: [corsRule] })
  const { rules } = await json('cors')
  rules[0].allowed_methods.push('HEAD')
  expect((await run('cors', { rules: makeFile({ rules }) })).stdout).toMatch(/^CORS rules changed\nID .+\npage .+ GET,PUT,HEAD /)
  expect((await settings()).cors_rules).toEqual([{ ...corsRule, allowed_methods: ['GET', 'PUT', 'HEAD'] }])
  expect(await json('cors', { clear: true })).toEqual({ rules: [] })
  expect((await settings()).cors_rules).toEqual([])
  await expect(run('cors', { rules: makeFile({ rules: [{ ...corsRule, allowed_methods: ['PATCH'] }] }) })).rejects.toMatchObject({
    code: 's3_setting_refused',
    exitCode: 1,
  })
})

test('only lifecycle rules that delete more than before need --yes', async () => {
  const { name, run, json, settings } = await makeBucket()
  const write = (rules: readonly object[], flags: Flags = {}) => json('lifecycle', { rules: makeFile({ rules }), ...flags })
  await expect(write([logs, { id: 'b', enabled: true, abort_upload_days: 1 }])).rejects.toMatchObject({
    message:
      `the deletions in ${name} by rule logs: keys that begin with logs/ (objects get a delete marker 30 days after their upload; ` +
      'noncurrent versions are deleted permanently after 7 days) and 1 more must be confirmed with --yes',
    exitCode: 2,
  })
  expect((await settings()).lifecycle_rules).toEqual([])
  expect(await write([logs], { yes: true })).toEqual({ rules: [logs] })
  const { rules } = await json('lifecycle')
  const idle = { id: 'idle', enabled: false, expire_days: 1 }
  expect(await write([...rules, idle])).toEqual({ rules: [logs, idle] })
  await expect(write([{ ...logs, expire_days: 29 }])).rejects.toThrow('must be confirmed with --yes')
  expect((await settings()).lifecycle_rules).toEqual([logs, idle])
  expect((await run('lifecycle', { clear: true })).stdout).toBe(
    'Lifecycle rules changed\nNo lifecycle rules: svc deletes no version by itself.\n',
  )
  expect((await settings()).lifecycle_rules).toEqual([])
})

test('files with mistakes, or that are absent, no text or too large, are refused before any request', async () => {
  const run = (name: string, flags: Flags) => commandsOn('unused').run(name, { adminUrl: 'http://127.0.0.1:9', ...flags })
  const mistaken = makeFile('{"rules": [\n{"enabled": true,\n"expire_day": 3}]}')
  const large = makeFile(`{"rules": []${' '.repeat(1024 * 1024)}}`)
  const binary = join(gateway.dir, 'binary.json')
  writeFileSync(binary, Buffer.from([0xff, 0xfe]))
  await expect(run('lifecycle', { rules: mistaken, yes: true })).rejects.toMatchObject({
    message: `${join(gateway.dir, mistaken)}, line 3: rules.0.expire_day is not known here; see svc admin bucket lifecycle --help`,
    exitCode: 2,
  })
  await expect(run('cors', { rules: 'absent.json' })).rejects.toMatchObject({
    message: expect.stringContaining('absent.json cannot be read: ENOENT'),
    exitCode: 1,
  })
  await expect(run('cors', { rules: '.' })).rejects.toThrow('cannot be read: EISDIR')
  await expect(run('lifecycle', { rules: large })).rejects.toMatchObject({
    message: expect.stringContaining('is larger than 1024 KiB'),
    exitCode: 2,
  })
  await expect(run('lifecycle', { rules: '/dev/zero' })).rejects.toMatchObject({
    message: expect.stringContaining('is larger than 1024 KiB'),
    exitCode: 2,
  })
  await expect(run('cors', { rules: binary })).rejects.toMatchObject({ message: `${binary} is not UTF-8 text`, exitCode: 2 })
  await expect(run('cors', { rules: binary, clear: true })).rejects.toMatchObject({
    message: '--rules and --clear exclude each other',
    exitCode: 2,
  })
})

test('a byte order mark before the rules is ignored', async () => {
  const { json } = await makeBucket()
  expect(await json('cors', { rules: makeFile(`\ufeff${JSON.stringify({ rules: [corsRule] })}`) })).toEqual({ rules: [corsRule] })
})

test.each(['settings', 'access', 'tags', 'cors', 'lifecycle'])('%s of an unknown bucket keeps the code of the service', async (name) => {
  await expect(commandsOn('nowhere').run(name)).rejects.toMatchObject({ code: 'bucket_not_found', exitCode: 1 })
})
