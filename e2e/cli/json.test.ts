/** Standard output holds exactly one JSON value with --json. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cliCommands } from '#kernel'
import { loadContributions } from '#kernel/host'
import { localCommands } from '../../cli/commands/local-commands.ts'
import { type SvcRun, svcHome } from '../../cli/testing/run-svc.ts'
import { svcProgram } from '../../cli/testing/svc-program.ts'
import { builtinPlugins } from '../../plugins/index.ts'
import { createTaskCalls, taskPlugin } from '../fixtures/task-gateway.ts'
import { until } from '../fixtures/until.ts'
import { type Service, startService } from './service.ts'

let service: Service
let dev: Awaited<ReturnType<typeof startDevAsJson>>
beforeAll(async () => {
  ;[service, dev] = await Promise.all([startService({ SVC_PLUGINS_PACKAGES: taskPlugin }), startDevAsJson()])
})
afterAll(async () => {
  await dev?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

/** `svc dev --json`, with its standard output. */
async function startDevAsJson() {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(svcHome())
  const args = [svcProgram, 'dev', '--json', '--s3-port', '0', '--admin-port', '0', '--providers', '2']
  const child = spawn(process.execPath, args, {
    cwd: home.dir,
    env: { PATH: process.env.PATH, HOME: home.dir, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  stack.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  await until('svc dev', async () => {
    if (child.exitCode !== null) throw new Error(`svc dev ended with ${child.exitCode}`)
    return stdout.endsWith('}\n') || undefined
  })
  const disposal = stack.move()
  const config = (JSON.parse(stdout) as { config: string }).config
  return { home, config, stdout, [Symbol.asyncDispose]: () => disposal.disposeAsync() }
}

// biome-ignore lint/suspicious/noExplicitAny: results have different shapes
function readAlone({ stdout }: Pick<SvcRun, 'stdout'>): any {
  const value = JSON.parse(stdout)
  expect(stdout).toBe(`${JSON.stringify(value, null, 2)}\n`)
  return value
}

const admin = (...words: string[]) => service.svc('admin', ...words, '--json')
const onDev = (...words: string[]) => dev.home.run([...words, '--json', '--config', dev.config])
const local = async (...words: string[]) => {
  using home = svcHome()
  return await home.run([...words, '--json'])
}
/** Runs in a new home with a configuration. */
const own = async (...words: string[]) => {
  using home = svcHome()
  await home.run(['init'])
  return await home.run([...words, '--json', '--config', join(home.dir, '.svc', 'config.toml')])
}
const makeUser = async (): Promise<string> => readAlone(await admin('s3-user', 'create')).access_key

const makeFailure = async () => String((await createTaskCalls(service).putUntil('failed', { end: 'fail' })).id)

let buckets = 0
const makeBucket = async (): Promise<string> => {
  buckets += 1
  return readAlone(await admin('bucket', 'create', `json-${buckets}`)).name
}
const makeObject = async (): Promise<string> => {
  const bucket = await makeBucket()
  await admin('object', 'upload', bucket, 'key', svcProgram)
  return bucket
}
const restoreObject = async () => {
  const bucket = await makeObject()
  await admin('object', 'delete', bucket, 'key')
  return admin('object', 'restore', bucket, 'key')
}
const downloadObject = async () => {
  using home = svcHome()
  return await admin('object', 'download', await makeObject(), 'key', join(home.dir, 'key'))
}

const proveObject = async () => {
  await onDev('admin', 'bucket', 'create', 'json-proof')
  await onDev('admin', 'object', 'upload', 'json-proof', 'key', svcProgram)
  return await onDev('admin', 'object', 'proof', 'json-proof', 'key')
}

/** A replacement of the only replica of a bucket; the two providers of the devnet leave one for it. */
let replaced: Promise<{ readonly providers: SvcRun; readonly start: SvcRun; readonly id: string }> | undefined
const replace = () => {
  replaced ??= (async () => {
    const bucket = 'json-replaced'
    await onDev('admin', 'bucket', 'create', bucket, '--copies', '1')
    await onDev('admin', 'object', 'upload', bucket, 'key', svcProgram)
    const source = await until('a stored object', async () => {
      const { data_sets } = readAlone(await onDev('admin', 'bucket', 'info', bucket))
      return data_sets.find(({ status, committed_copies: copies }: Record<string, unknown>) => status === 'ready' && Number(copies) > 0)
    })
    const dataSet = String(source.id)
    const providers = await onDev('admin', 'replacement', 'providers', bucket, dataSet)
    const start = await onDev('admin', 'replacement', 'start', bucket, dataSet)
    return { providers, start, id: String(readAlone(start).id) }
  })()
  return replaced
}

let packs = 0
/** Packs one object in a bucket of its own. Returns the id of the pack. */
const makePack = async (): Promise<string> => {
  packs += 1
  const bucket = `json-pack-${packs}`
  await onDev('admin', 'bucket', 'create', bucket)
  await onDev('admin', 'pack', 'policy', bucket, 'small')
  await onDev('admin', 'object', 'upload', bucket, 'key', svcProgram)
  await onDev('admin', 'pack', 'seal', bucket)
  return String(await until('a pack', async () => readAlone(await onDev('admin', 'pack', 'list', '--bucket', bucket)).packs[0]?.id))
}

const saved = svcHome()
afterAll(() => saved[Symbol.dispose]())
let made: Promise<SvcRun> | undefined
/** A backup of a new gateway, in `backup`. */
const savedOnce = () => {
  made ??= (async () => {
    await saved.run(['init'])
    await saved.run(['migrate'])
    return saved.run(['backup', 'backup', '--json'])
  })()
  return made
}

/** Every command that has --json: how to run it, and part of its result. */
const commands: Readonly<Record<string, readonly [run: () => Promise<SvcRun>, answer: unknown]>> = {
  init: [
    () => local('init', '--dir', 'x'),
    { username: 'admin', config: expect.stringMatching(/x\/config\.toml$/), password_file: expect.any(String) },
  ],
  migrate: [() => own('migrate'), { applied: expect.arrayContaining(['kernel/0001-tasks']) }],
  backup: [() => savedOnce(), { files: 0, damaged: 0, only_at_providers: { contents: 0, bytes: 0 } }],
  'backup verify': [async () => (await savedOnce()) && saved.run(['backup', 'verify', 'backup', '--json']), { compared: 2, problems: [] }],
  restore: [
    async () => (await savedOnce()) && saved.run(['restore', 'backup', '--to', 'restored', '--json']),
    { config: expect.stringMatching(/restored\/config\.toml$/), missing_secrets: expect.arrayContaining(['chain.private_key']) },
  ],
  'config validate': [() => onDev('config', 'validate'), { valid: true, config: expect.stringMatching(/config\.toml$/), problems: [] }],
  version: [() => local('version'), { version: expect.any(String) }],
  'admin-auth reset-password': [() => own('admin-auth', 'reset-password'), { username: 'admin', password_file: expect.any(String) }],
  'plugins list': [() => local('plugins', 'list'), expect.arrayContaining([expect.objectContaining({ id: 'tasks', state: 'enabled' })])],
  // Empty until the dashboard is built.
  'plugins pages': [() => local('plugins', 'pages'), expect.any(Array)],
  'plugins enable': [() => own('plugins', 'enable', 'tasks'), { disabled: [], changed: [] }],
  'plugins disable': [() => own('plugins', 'disable', 'tasks'), { disabled: ['tasks'], changed: ['tasks'] }],
  'wallet generate': [
    () => local('wallet', 'generate'),
    { address: expect.stringMatching(/^0x/), private_key: expect.stringMatching(/^0x/) },
  ],
  'wallet deposit': [() => onDev('wallet', 'deposit', '1.5'), { tx_hash: expect.stringMatching(/^0x/), confirmed: true }],
  'wallet approve': [() => onDev('wallet', 'approve'), { confirmed: true, already_approved: true }],
  'provider list': [() => onDev('provider', 'list'), [{ id: '1', health_status: 'reachable' }, { id: '2' }]],
  'admin status': [() => admin('status'), { health: { status: 'ok' }, system: {}, workers: {}, cache: {} }],
  'admin s3-user list': [() => admin('s3-user', 'list'), expect.any(Array)],
  'admin s3-user create': [
    () => admin('s3-user', 'create'),
    { access_key: expect.any(String), secret_key: expect.any(String), role: 'userplus' },
  ],
  'admin s3-user update': [async () => admin('s3-user', 'update', await makeUser(), '--role', 'user'), { role: 'user', bucket_count: 0 }],
  'admin s3-user limits': [
    async () => admin('s3-user', 'limits', await makeUser(), '--objects', '5'),
    { limits: { objects: 5 }, own_limits: ['objects'] },
  ],
  'admin s3-user rotate-secret': [async () => admin('s3-user', 'rotate-secret', await makeUser()), { secret_key: expect.any(String) }],
  'admin s3-user delete': [async () => admin('s3-user', 'delete', await makeUser(), '--yes'), { status: 'deleted' }],
  'admin settings get': [() => admin('settings', 'get'), { mode: 'ready', metadata: {} }],
  'admin settings set': [() => admin('settings', 'set', 'cache.max_size_gb=9'), { restart_required: true }],
  'admin task list': [() => admin('task', 'list'), { tasks: expect.any(Array) }],
  'admin task stats': [() => admin('task', 'stats'), expect.any(Array)],
  'admin task show': [async () => admin('task', 'show', await makeFailure()), { status: 'failed' }],
  'admin bucket list': [() => admin('bucket', 'list'), expect.any(Array)],
  'admin bucket create': [() => admin('bucket', 'create', 'json-create'), { name: 'json-create' }],
  'admin bucket info': [async () => admin('bucket', 'info', await makeBucket()), { data_sets: [] }],
  'admin bucket policy': [async () => admin('bucket', 'policy', await makeBucket()), { default_copies: 3 }],
  'admin bucket settings': [
    async () => admin('bucket', 'settings', await makeBucket()),
    { access: { grants: [{ grantee: 'owner' }] }, cors_rules: [], tags: [], lifecycle_rules: [] },
  ],
  'admin bucket access': [
    async () => admin('bucket', 'access', await makeBucket(), '--block-public', 'on'),
    { block: { block_public_acls: true } },
  ],
  'admin bucket tags': [async () => admin('bucket', 'tags', await makeBucket(), '--set', 'team=web'), { tags: [{ key: 'team' }] }],
  'admin bucket cors': [async () => admin('bucket', 'cors', await makeBucket()), { rules: [] }],
  'admin bucket lifecycle': [async () => admin('bucket', 'lifecycle', await makeBucket()), { rules: [] }],
  'admin repair list': [() => onDev('admin', 'repair', 'list'), { auto: false, spent_today: '0', repairs: [] }],
  'admin replacement what-if': [
    () => onDev('admin', 'replacement', 'what-if', '1'),
    { provider_id: '1', stored: { contents: expect.any(Number) }, heal: {}, buckets: expect.any(Array) },
  ],
  'admin bucket raise': [
    async () => admin('bucket', 'raise', await makeBucket()),
    { target_copies: 3, contents: 0, copies: 0, bytes: '0', raise: null },
  ],
  'admin bucket quota': [
    async () => admin('bucket', 'quota', await makeBucket(), '--bytes', '5GiB'),
    { objects: null, bytes: 5 * 2 ** 30, usage: { objects: 0, bytes: 0 } },
  ],
  'admin bucket owner': [
    async () => admin('bucket', 'owner', await makeBucket(), '__internal_root__'),
    { owner_access_key: '__internal_root__' },
  ],
  'admin object list': [async () => admin('object', 'list', await makeBucket()), { objects: [], has_more: false }],
  'admin object upload': [
    async () => admin('object', 'upload', await makeBucket(), 'key', svcProgram),
    { key: 'key', size: expect.any(Number) },
  ],
  'admin object versions': [async () => admin('object', 'versions', await makeObject(), 'key'), { versions: [{ key: 'key' }] }],
  'admin object status': [async () => admin('object', 'status', await makeObject(), 'key'), { copies: expect.any(Array) }],
  'admin object delete': [
    async () => admin('object', 'delete', await makeObject(), 'key'),
    { delete_marker_version_id: expect.any(String) },
  ],
  'admin object restore': [restoreObject, { restored_version_id: expect.any(String) }],
  'admin object download': [downloadObject, { key: 'key', size: expect.any(Number) }],
  'admin bucket pack': [async () => admin('bucket', 'pack', await makeBucket()), { contents: 0, packs: 0 }],
  'admin pack list': [() => admin('pack', 'list'), { buckets: expect.any(Array), packs: [], has_more: false }],
  'admin pack policy': [async () => admin('pack', 'policy', await makeBucket(), 'small'), { packing: 'small' }],
  'admin pack seal': [async () => admin('pack', 'seal', await makeBucket()), { contents: 0 }],
  'admin pack compact': [async () => onDev('admin', 'pack', 'compact', await makePack()), { dead_bytes: 0 }],
  'admin pack show': [async () => onDev('admin', 'pack', 'show', await makePack()), { members: 1, first_members: [{ key: 'key' }] }],
  'admin storage-confirmation list': [() => service.svc('admin', 'storage-confirmation', 'list', '--json'), []],
  doctor: [() => service.svc('doctor', '--online', '--only', 'storage', '--json'), { checks: expect.any(Array), fixes: [] }],
  'admin session list': [() => admin('session', 'list'), { sessions: [] }],
  'admin audit': [() => admin('audit', '--limit', '1'), { lines: [{ what: expect.any(String) }] }],
  'admin totp status': [() => admin('totp', 'status'), { enabled: false }],
  'admin totp begin': [() => admin('totp', 'begin'), { secret: expect.any(String), uri: expect.stringMatching(/^otpauth:/) }],
  'admin cost': [() => onDev('admin', 'cost'), { freshness: expect.any(String), buckets: [] }],
  'admin data-set list': [() => onDev('admin', 'data-set', 'list'), { items: expect.any(Array), last_refresh: {} }],
  'admin data-set refresh': [
    () => onDev('admin', 'data-set', 'refresh'),
    { items: expect.any(Array), last_refresh: { chain_requests: expect.any(Number) } },
  ],
  'admin object proof': [proveObject, { bucket: 'json-proof', key: 'key', copies: expect.any(Array) }],
  'admin provider list': [
    () => onDev('admin', 'provider', 'list'),
    { items: [{ facts: { provider_id: '1' } }, { facts: { provider_id: '2' } }] },
  ],
  'admin provider refresh': [() => onDev('admin', 'provider', 'refresh'), { items: [{ facts: { health_status: 'reachable' } }, {}] }],
  'admin provider speed-test': [() => onDev('admin', 'provider', 'speed-test', '1'), { state: 'testing', task_id: expect.any(Number) }],
  'admin verify': [() => onDev('admin', 'verify', '--sample', '1%'), { planned: expect.any(Number), task_id: expect.any(Number) }],
  'admin replacement providers': [
    async () => (await replace()).providers,
    { providers: [{ eligible: true }, { eligible: false, ineligible_reason: 'current_source' }] },
  ],
  'admin replacement start': [async () => (await replace()).start, { bucket_name: 'json-replaced', selection_mode: 'automatic' }],
  'admin replacement list': [
    async () => (await replace()) && onDev('admin', 'replacement', 'list'),
    { replacements: [{ bucket_name: 'json-replaced' }] },
  ],
  'admin replacement show': [async () => onDev('admin', 'replacement', 'show', (await replace()).id), { bucket_name: 'json-replaced' }],
  'admin wallet status': [() => onDev('admin', 'wallet', 'status'), { configured: true, payment_account: {} }],
  'admin wallet operations': [() => onDev('admin', 'wallet', 'operations'), { operations: expect.any(Array) }],
  'admin wallet fund': [
    () => onDev('admin', 'wallet', 'fund', '1', '--wait'),
    { operation: { type: 'fund', amount: '1000000000000000000', status: 'confirmed' } },
  ],
  'admin wallet withdraw': [
    () => onDev('admin', 'wallet', 'withdraw', '0.5', '--wait'),
    { operation: { type: 'withdraw', amount: '500000000000000000', status: 'confirmed' } },
  ],
  'admin wallet approve': [() => onDev('admin', 'wallet', 'approve', '--wait'), { operation: { type: 'approve', status: 'confirmed' } }],
  'admin task retry': [async () => admin('task', 'retry', await makeFailure()), { status: 'pending' }],
  'admin task acknowledge': [async () => admin('task', 'acknowledge', await makeFailure()), { status: 'acknowledged' }],
}

describe.each(Object.entries(commands))('svc %s --json', (_name, [run, answer]) => {
  test('writes one JSON value', async () => {
    const end = await run()
    expect(end.code, end.stderr).toBe(0)
    expect(readAlone(end)).toMatchObject(answer as object)
  })
})

test('svc dev --json writes what ready.json holds', () => {
  expect(readAlone(dev)).toEqual(JSON.parse(readFileSync(join(dev.home.dir, '.svc-dev', 'ready.json'), 'utf8')))
})

test('progress of a slow command goes to standard error', async () => {
  const { stderr } = await onDev('provider', 'list', '--no-health')
  expect(stderr).toMatch(/^Reading the providers of devnet from http:\/\/127\.0\.0\.1:\d+\n$/)
})

test('a failed result is JSON on standard output with exit code 1', async () => {
  using home = svcHome()
  // The faucets are behind a proxy that does not exist. Node reads these variables when it starts.
  const env = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://127.0.0.1:9' }
  const end = await home.spawn(['wallet', 'fund-testnet', `0x${'1'.repeat(40)}`, '--json'], env)
  expect(end).toMatchObject({ code: 1, stderr: '' })
  expect(readAlone(end).results).toMatchObject([
    { faucet_info: 'CalibnetUSDFC', error: expect.any(String) },
    { faucet_info: 'CalibnetFIL', error: expect.any(String) },
  ])
})

test.each([
  ['task', 'retry', '999999'],
  ['settings', 'get', 'chain.copies'],
  ['task', 'acknowledge'],
])('a refusal leaves standard output empty: svc admin %s %s --json', async (...words) => {
  expect(await admin(...words)).toEqual({ code: expect.any(Number), stdout: '', stderr: expect.stringMatching(/^fatal: [^\n]+\n$/) })
})

/** Needs a submission with an unknown outcome: run in `plugins/replication/confirmations/confirmation-routes.test.ts`. */
const releaseCommands = ['admin storage-confirmation release', 'admin storage-confirmation release-attempt']
/** Needs a replacement that failed: run in `plugins/replacement/commands/commands.test.ts`. */
const retryCommand = 'admin replacement retry'
/** Change the sign-in of the service: run in `plugins/access/commands/commands.test.ts`. */
const signInCommands = ['admin session end', 'admin totp confirm', 'admin totp remove', 'admin-auth remove-second-factor']
/** Builds for half a minute: run in `e2e/cli/plugin-pages.test.ts` with an installed program. */
const buildCommand = 'plugins build'

test('this file runs every command that has --json', async () => {
  const declared = [...localCommands, ...(await loadContributions(cliCommands, builtinPlugins)).map(({ item }) => item)]
  const withJson = declared.filter(({ flags }) => flags?.json).map(({ name }) => name)
  expect(withJson.sort()).toEqual(
    [
      ...Object.keys(commands),
      'dev',
      'wallet fund-testnet',
      'admin readiness',
      'admin events',
      ...releaseCommands,
      retryCommand,
      buildCommand,
      ...signInCommands,
    ].sort(),
  )
  // The others print a script or serve.
  const without = declared.filter(({ flags }) => !flags?.json).map(({ name }) => name)
  expect(without.sort()).toEqual(['completions bash', 'completions fish', 'completions zsh', 'serve'])
})
