/** Changing and validating settings over HTTP, and the resulting configuration file. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AdminReply } from '../fixtures/admin-calls.ts'
import { emptyWalletKey } from '../fixtures/gateways/gateway.ts'
import { type ServeProcess, startServe } from '../fixtures/gateways/serve-process.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'

const path = '/api/v1/settings'
const written = `# The gateway of the team.

[logging]
level = "debug"
format = "json" # for the collector

[cache]
# Half of the disk, as agreed.
max_size_gb = 50   # in GiB
lru_high_watermark_percent = 85

[worker.tasks]
poll_interval = "7s"
`
/** Root can write anywhere, so a test run by root starts the service as the user nobody. */
const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {}

let svc: ServeProcess
let original: string
beforeAll(async () => {
  svc = await startServe({ written, env: { SVC_S3_REGION: 'eu-north-1', SVC_CHAIN_WITH_CDN: 'true' }, ...uid })
  original = fileText()
})
afterAll(() => svc?.[Symbol.asyncDispose]())
beforeEach(() => writeFileSync(svc.configPath, original))

const fileText = () => readFileSync(svc.configPath, 'utf8')
const read = async () => (await svc.call('GET', path)).json
const put = (json: unknown) => svc.call('PUT', path, { json })
const validate = (json: unknown) => svc.call('POST', `${path}/validate`, { json })
const fieldsOf = ({ json }: AdminReply): readonly string[] =>
  (json.fields ?? json.validation_errors).map(({ field }: { field: string }) => field)

describe('a save', () => {
  test('changes only the given keys and keeps comments, order and secrets of the file', async () => {
    const reply = await put({ cache: { max_size_gb: 60 }, worker: { tasks: { poll_interval: '9s' } } })
    expect(reply).toMatchObject({
      status: 200,
      json: { mode: 'ready', restart_required: true, config: { cache: { max_size_gb: 60 }, worker: { tasks: { poll_interval: '9s' } } } },
    })
    expect(fileText()).toBe(original.replace('max_size_gb = 50', 'max_size_gb = 60').replace('"7s"', '"9s"'))
    expect(fileText()).toContain(emptyWalletKey)
  })

  test('adds missing keys, and leaves no other file', async () => {
    const before = readdirSync(dirname(svc.configPath)).sort()
    expect((await put({ chain: { observability: { interval: '1h30m' } }, plugins: { disabled: [] } })).status).toBe(200)
    expect(fileText()).toContain('interval = "1h30m"')
    expect(fileText()).toContain('# Half of the disk, as agreed.')
    expect(readdirSync(dirname(svc.configPath)).sort()).toEqual(before)
  })

  test('makes the file readable only for its owner', async () => {
    chmodSync(svc.configPath, 0o644)
    expect((await put({ cache: { max_size_gb: 61 } })).status).toBe(200)
    expect(statSync(svc.configPath).mode & 0o777).toBe(0o600)
  })

  test('concurrent with another one keeps both changes and a complete file', async () => {
    const sizes = Array.from({ length: 12 }, (_, n) => 100 + n)
    const replies = await Promise.all([
      ...sizes.map((max_size_gb) => put({ cache: { max_size_gb } })),
      ...sizes.map((concurrency) => put({ worker: { tasks: { concurrency } } })),
    ])
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const { config, validation_errors } = await read()
    expect(validation_errors).toBeUndefined()
    expect(sizes).toContain(config.cache.max_size_gb)
    expect(sizes).toContain(config.worker.tasks.concurrency)
    expect(fileText()).toContain('# Half of the disk, as agreed.')
  })

  test('that cannot be written is a clear error, and the file is unchanged', async () => {
    const directory = dirname(svc.configPath)
    chmodSync(directory, 0o500)
    try {
      expect((await read()).writable).toBe(false)
      const reply = await put({ cache: { max_size_gb: 62 } })
      expect(reply).toMatchObject({ status: 500, json: { code: 'config_unwritable' } })
      expect(reply.json.error).toContain(`${svc.configPath} cannot be written`)
      expect(fileText()).toBe(original)
    } finally {
      chmodSync(directory, 0o700)
    }
    expect((await put({ cache: { max_size_gb: 62 } })).status).toBe(200)
  })

  test('is in effect only after the restart, which the answers state until then', async () => {
    using dir = temporaryDirectory()
    const makeBucket = async (at: ServeProcess, name: string) => {
      const user = await at.call('POST', '/api/v1/s3-users', { json: {} })
      const made = await at.call('POST', '/api/v1/buckets', { json: { name, owner_access_key: user.json.access_key } })
      return made.json.default_copies
    }
    const copiesOf = async (at: ServeProcess, name: string) => (await at.call('GET', `/api/v1/buckets/${name}`)).json.default_copies
    await using first = await startServe({ dir: dir.path })
    expect(await makeBucket(first, 'before')).toBe(3)
    await first.call('PUT', path, { json: { chain: { default_copies: 5 } } })
    expect((await first.call('GET', path)).json).toMatchObject({
      restart_required: true,
      runtime_chain_default_copies: 3,
      config: { chain: { default_copies: 5 } },
    })
    expect(await makeBucket(first, 'between')).toBe(3)
    await first.stop()
    await using second = await startServe({ dir: dir.path })
    expect((await second.call('GET', path)).json).toMatchObject({ restart_required: false, runtime_chain_default_copies: 5 })
    expect(await makeBucket(second, 'after')).toBe(5)
    // A bucket keeps the policy of its creation (I-12).
    expect([await copiesOf(second, 'before'), await copiesOf(second, 'between')]).toEqual([3, 3])
  })
})

describe('a refused change names its field, changes nothing and needs no restart:', () => {
  test.each<readonly [string, object, readonly string[]]>([
    ['an unknown group', { cash: { dir: '/x' } }, ['cash']],
    ['an unknown name', { cache: { size: 1 } }, ['cache.size']],
    ['a name with a dot for the way down', { 'cache.max_size_gb': 7 }, ['cache.max_size_gb']],
    ['a value for a group', { cache: 5 }, ['cache']],
    ['null for a group', { cache: null }, ['cache']],
    ['a list for a group', { chain: { observability: [] } }, ['chain.observability']],
    ['null for a value', { cache: { max_size_gb: null } }, ['cache.max_size_gb']],
    ['the wallet key', { chain: { private_key: '0x1' } }, ['chain.private_key']],
    ['the listen address', { admin: { addr: '0.0.0.0:80' } }, ['admin.addr']],
    ['the trusted proxies', { admin: { trusted_proxies: ['0.0.0.0/0'] } }, ['admin.trusted_proxies']],
    ['authentication', { admin: { auth: { enabled: false } } }, ['admin.auth.enabled']],
    ['the session secret', { admin: { auth: { session_secret: 'x' } } }, ['admin.auth.session_secret']],
    ['the database', { database: { dsn: '/x' } }, ['database.dsn']],
    ['what the environment decides', { s3: { region: 'us-east-1' } }, ['s3.region']],
    ['what the environment decides, though it is the same', { s3: { region: 'eu-north-1' } }, ['s3.region']],
    ['a number for a text', { cache: { dir: 5 } }, ['cache.dir']],
    ['a text for a number', { cache: { max_size_gb: '60' } }, ['cache.max_size_gb']],
    ['a text for a switch', { chain: { allow_private_networks: 'yes' } }, ['chain.allow_private_networks']],
    ['a number for a duration', { worker: { tasks: { poll_interval: 5 } } }, ['worker.tasks.poll_interval']],
    ['a duration that is none', { worker: { tasks: { poll_interval: 'soon' } } }, ['worker.tasks.poll_interval']],
    ['a duration of nothing', { chain: { observability: { timeout: '0s' } } }, ['chain.observability.timeout']],
    ['a size of nothing', { cache: { max_size_gb: 0 } }, ['cache.max_size_gb']],
    ['no copies', { chain: { default_copies: 0 } }, ['chain.default_copies']],
    ['nine copies', { chain: { default_copies: 9 } }, ['chain.default_copies']],
    ['an unknown network', { chain: { network: 'testnet' } }, ['chain.network']],
    ['an unknown policy', { cache: { eviction_policy: 'fifo' } }, ['cache.eviction_policy']],
    ['an address of no chain node', { chain: { rpc_url: 'ftp://node' } }, ['chain.rpc_url']],
    ['an address without a port', { server: { port: '127.0.0.1' } }, ['server.port']],
    ['an address with a port that does not exist', { server: { port: '127.0.0.1:65536' } }, ['server.port']],
    ['an empty region', { cache: { dir: '' } }, ['cache.dir']],
    ['a cache in a folder of the system', { cache: { dir: '/etc' } }, ['cache.dir']],
    ['a cache in the place of all folders', { cache: { dir: '/' } }, ['cache.dir']],
    [
      'a certificate and a key that are no files',
      { server: { tls: { cert_file: '/dev/zero', key_file: '/' } } },
      ['server.tls.cert_file', 'server.tls.key_file'],
    ],
    ['TLS without its files', { server: { tls: { enabled: true } } }, ['server.tls.cert_file', 'server.tls.key_file']],
    [
      'a minimum above the copies',
      { chain: { default_copies: 2, default_minimum_durable_copies: 3 } },
      ['chain.default_minimum_durable_copies'],
    ],
    ['more requests than connections', { server: { max_connections: 10, max_requests: 11 } }, ['server.max_requests']],
    ['a network that lacks what only the file can say', { chain: { network: 'devnet' } }, ['chain.devnet_info']],
    ['a plugin disabled that another one requires', { plugins: { disabled: ['wallet'] } }, ['plugins.disabled']],
    ['a plugin disabled that is not there', { plugins: { disabled: ['none'] } }, ['plugins.disabled']],
    ['watermarks that are equal', { cache: { lru_low_watermark_percent: 85 } }, ['cache.lru_low_watermark_percent']],
    ['two mistakes at once', { chain: { default_copies: 0 }, logging: { format: 'xml' } }, ['chain.default_copies', 'logging.format']],
  ])('%s', async (_what, body, fields) => {
    const before = (await read()).config
    const reply = await put(body)
    expect(reply).toMatchObject({ status: 400, json: { error: expect.stringMatching(/./), code: 'settings_invalid' } })
    for (const { field, message } of reply.json.fields)
      expect([field, message]).toEqual([expect.stringMatching(/^[\w.]+$/), expect.stringMatching(/./)])
    expect([...fieldsOf(reply)].sort()).toEqual([...fields].sort())
    expect(fileText()).toBe(original)
    expect((await read()).config).toEqual(before)
  })
})

test('a cache that would contain the database and the configuration is refused', async () => {
  const reply = await put({ cache: { dir: dirname(svc.configPath) } })
  expect([reply.status, fieldsOf(reply), fileText()]).toEqual([400, ['cache.dir'], original])
})

test('a setting that the environment overrides is refused with the name of the variable', async () => {
  const { json } = await put({ s3: { region: 'us-east-1' }, chain: { with_cdn: false } })
  expect(json.fields).toEqual([
    { field: 's3.region', message: 'is managed by SVC_S3_REGION' },
    { field: 'chain.with_cdn', message: 'is managed by SVC_CHAIN_WITH_CDN' },
  ])
})

test('watermarks are checked against each other only under lru, and kept otherwise', async () => {
  const upsideDown = { lru_high_watermark_percent: 10, lru_low_watermark_percent: 20 }
  expect(fieldsOf(await put({ cache: { ...upsideDown, eviction_policy: 'lru' } })).join()).toMatch(
    /^cache\.lru_(low|high)_watermark_percent$/,
  )
  for (const eviction_policy of ['after_upload', 'none']) {
    const saved = await put({ cache: { ...upsideDown, eviction_policy } })
    expect(saved).toMatchObject({ status: 200, json: { config: { cache: { ...upsideDown, eviction_policy } } } })
  }
  expect((await put({ cache: { eviction_policy: 'lru' } })).status).toBe(400)
  expect((await put({ cache: { lru_high_watermark_percent: 101 } })).status).toBe(400)
  expect((await put({ cache: { eviction_policy: 'lru', lru_high_watermark_percent: 100, lru_low_watermark_percent: 0 } })).status).toBe(200)
})

describe('a check', () => {
  test('names the same problems as a save, answers 200 and saves nothing', async () => {
    const body = { chain: { default_copies: 0 }, logging: { format: 'xml' }, s3: { region: 'x' } }
    const checked = await validate(body)
    expect(checked.status).toBe(200)
    expect(Object.keys(checked.json)).toEqual(['validation_errors'])
    expect(checked.json.validation_errors).toEqual((await put(body)).json.fields)
    expect(fileText()).toBe(original)
  })

  test('of a valid change finds no problems', async () => {
    const { status, json } = await validate({ cache: { max_size_gb: 70 } })
    expect([status, json]).toEqual([200, { validation_errors: [] }])
    expect(fileText()).toBe(original)
  })

  test('of an unknown name is refused', async () => {
    expect(await validate({ cache: { size: 1 } })).toMatchObject({ status: 400, json: { fields: [{ field: 'cache.size' }] } })
  })
})

test.each(['PUT /api/v1/settings', 'POST /api/v1/settings/validate'])(
  '%s takes one JSON object of at most 64 KiB with the JSON media type',
  async (line) => {
    const [method = '', at = ''] = line.split(' ')
    const sized = (bytes: number) => `{"cache":{"dir":"${'x'.repeat(bytes - 20)}"}}`
    const send = async (body: string, type = 'application/json') => {
      const reply = await svc.call(method, at, { body, headers: type === '' ? {} : { 'content-type': type } })
      return [reply.status, reply.json.code]
    }
    const refused = [400, 'invalid_request']
    for (const type of ['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'text/json']) {
      expect([type, ...(await send('{}', type))]).toEqual([type, ...refused])
    }
    for (const body of ['', '[]', 'null', '"x"', '{}{}', '{', sized(65_537)]) expect(await send(body)).toEqual(refused)
    expect(sized(65_536)).toHaveLength(65_536)
    expect((await send(sized(65_536)))[0]).toBe(200)
    expect((await send('{}', 'Application/JSON; charset=utf-8'))[0]).toBe(200)
  },
)
