import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConfigRequest, describeProblem, loadConfig } from './load.ts'
import { defineSection } from './section.ts'
import { setting } from './setting.ts'
import { matching } from './value-rule.ts'

let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-config-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

const cache = defineSection('cache', {
  doc: 'Cache.',
  keys: {
    dir: setting.text({ label: 'Directory', doc: 'Where.', default: ({ dataDir }) => join(dataDir, 'cache') }),
    max_size_gb: setting.integer({ label: 'Size', doc: 'Size.', default: 100, min: 1, editable: true }),
    low: setting.integer({ label: 'Low', doc: 'Low.', default: 80, editable: true }),
    high: setting.integer({ label: 'High', doc: 'High.', default: 90, editable: true }),
    eviction_policy: setting.choice(['lru', 'none'], { label: 'Policy', doc: 'Policy.', default: 'lru', editable: true }),
    paused: setting.flag({ label: 'Paused', doc: 'Paused.', default: false }),
    interval: setting.duration({ label: 'Interval', doc: 'Interval.', default: '5s', minMs: 1000 }),
    peers: setting.list({ label: 'Peers', doc: 'Peers.', default: [] }),
  },
  check: ({ low, high }) => (low < high ? [] : [{ key: 'low', message: 'must be below cache.high' }]),
})
const chain = defineSection('chain', {
  doc: 'Chain.',
  keys: { private_key: setting.secret({ label: 'Key', doc: 'Key of the wallet.', required: true }) },
})

function load(toml: string, request: Partial<ConfigRequest> = {}) {
  const path = join(dir, 'config.toml')
  writeFileSync(path, toml)
  const config = loadConfig({ path, dataDir: '/data', sections: [cache, chain], env: { SVC_CHAIN_PRIVATE_KEY: 'key' }, ...request })
  const values = config.values.get('cache') as Record<string, unknown>
  return { ...config, cache: values, messages: config.problems.map(({ field, message }) => `${field} ${message}`) }
}

test('without a file the defaults and the environment are used', () => {
  const config = loadConfig({ path: join(dir, 'none.toml'), dataDir: '/data', sections: [cache], env: {} })
  expect(config.exists).toBe(false)
  expect(config.values.get('cache')).toMatchObject({ dir: '/data/cache', max_size_gb: 100, interval: 5000, peers: [], paused: false })
  expect(config.sources.get('cache.dir')).toBe('default')
})

test('flags win over the environment, which wins over the file, which wins over defaults', () => {
  const toml = '[cache]\nmax_size_gb = 1\nlow = 1\nhigh = 50\n'
  const env = { SVC_CACHE_LOW: '2', SVC_CACHE_HIGH: '60', SVC_CHAIN_PRIVATE_KEY: 'k' }
  const config = load(toml, { env, flags: { 'cache.high': '70' } })
  expect(config.cache).toMatchObject({ max_size_gb: 1, low: 2, high: 70, eviction_policy: 'lru' })
  const sources = ['eviction_policy', 'max_size_gb', 'low', 'high'].map((key) => config.sources.get(`cache.${key}`))
  expect(sources).toEqual(['default', 'file', 'env', 'flag'])
  expect(config.problems).toEqual([])
})

test.each([
  ['dir', 'a\u0000b'],
  ['dir', 'a\r\nb'],
  ['dir', '\ud800'],
  ['peers', ['a', 'b\u007f']],
  ['max_size_gb', 2 ** 53],
  ['max_size_gb', 1e300],
])('a value of cache.%s that the file cannot represent, such as %j, is a problem', (key, value) => {
  const { problems } = load('', { changes: { [`cache.${key}`]: value } })
  expect(problems.map(({ field }) => field)).toEqual([`cache.${key}`])
})

test('a choice is accepted in any letter case and stored in its canonical spelling', () => {
  const inFile = load('[cache]\neviction_policy = "None"')
  expect([inFile.cache.eviction_policy, inFile.raw.get('cache.eviction_policy'), inFile.messages]).toEqual(['none', 'none', []])
  expect(load('', { env: { SVC_CHAIN_PRIVATE_KEY: 'key', SVC_CACHE_EVICTION_POLICY: 'NONE' } }).cache.eviction_policy).toBe('none')
  expect(load('[cache]\neviction_policy = "nonesuch"').messages).toEqual([expect.stringContaining('cache.eviction_policy')])
})

test('text from the environment is parsed by the type of its setting', () => {
  const env = {
    SVC_CACHE_PAUSED: 'true',
    SVC_CACHE_INTERVAL: '1h30m',
    SVC_CACHE_PEERS: ' a, b ,,c',
    SVC_CACHE_MAX_SIZE_GB: ' 7 ',
    SVC_CHAIN_PRIVATE_KEY: 'k',
  }
  expect(load('', { env }).cache).toMatchObject({ paused: true, interval: 5_400_000, peers: ['a', 'b', 'c'], max_size_gb: 7 })
})

test.each([
  ['[cache]\nmax_size_gb = "big"', 'cache.max_size_gb must be a number (was a string)'],
  ['[cache]\nmax_size_gb = 0', 'cache.max_size_gb must be at least 1 (was 0)'],
  ['[cache]\nmax_size_gb = 1.5', 'cache.max_size_gb must be an integer (was 1.5)'],
  ['[cache]\neviction_policy = "fifo"', 'cache.eviction_policy must be "lru" or "none" (was "fifo")'],
  ['[cache]\ninterval = "soon"', 'cache.interval must be a duration such as 90s, 5m or 1h30m (was "soon")'],
  ['[cache]\ninterval = "10ms"', 'cache.interval must be at least 1s (was "10ms")'],
  ['[cache]\npaused = "yes"', 'cache.paused must be boolean (was "yes")'],
  ['[cache]\nlow = 95', 'cache.low must be below cache.high'],
  ['[cache]\nmax_size = 5', 'cache.max_size is not a setting of this service; did you mean cache.max_size_gb?'],
  ['max_size_gb = 5', 'max_size_gb is not a setting of this service; did you mean cache.max_size_gb?'],
  ['[cash]\nlow = 1', 'cash is not a setting of this service'],
  ['[chain]\nprivate_key = 5', 'chain.private_key must be a string'],
])('the file %j has the problem: %s', (toml, message) => {
  const { messages } = load(toml, { env: toml.includes('private_key') ? {} : { SVC_CHAIN_PRIVATE_KEY: 'k' } })
  expect(messages).toHaveLength(1)
  expect(messages[0]).toContain(message)
})

test('no message contains the value of a secret', () => {
  const wrong = defineSection('chain', {
    doc: 'Chain.',
    keys: {
      private_key: setting.secret({ label: 'Key', doc: 'Key.', required: true }, matching(/^[0-9a-f]{64}$/, '32 bytes in hexadecimal')),
    },
  })
  for (const text of ['987654321', '"987654321"', '"987654321\\u0007"']) {
    const config = load(`[chain]\nprivate_key = ${text}`, { sections: [cache, wrong], env: {} })
    expect(config.messages).toHaveLength(1)
    expect(config.messages.join()).not.toContain('987654321')
  }
})

test.each([
  ['a missing required setting', '', 'setup'],
  ['an editable setting that is wrong', '[cache]\nlow = "x"\n[chain]\nprivate_key = "k"', 'setup'],
  ['a setting that the settings page cannot fix', '[cache]\npaused = 3\n[chain]\nprivate_key = "k"', 'start'],
  ['an unknown setting', '[cache]\nlou = 3\n[chain]\nprivate_key = "k"', 'start'],
])('%s leads to setup mode, or blocks the start', (_name, toml, blocks) => {
  expect(load(toml, { env: {} }).problems).toMatchObject([{ blocks }])
})

test.each([
  ['SVC_CACHE_MAX_SIZE_GB', 'big', 'SVC_CACHE_MAX_SIZE_GB must be a number (was a string)'],
  ['SVC_CACHE_LOW', '95', 'SVC_CACHE_LOW must be below cache.high'],
  ['SVC_CACHE_HIGH', '70', 'with SVC_CACHE_HIGH, cache.low must be below cache.high'],
])('the value of the variable %s=%s stops the start, and the problem names the variable', (variable, value, description) => {
  const { problems } = load('', { env: { SVC_CHAIN_PRIVATE_KEY: 'k', [variable]: value } })
  expect(problems.map(describeProblem)).toEqual([description])
  expect(problems).toMatchObject([{ blocks: 'start' }])
})

test('a rule that the file alone breaks is a problem of the file, also when the environment has valid values', () => {
  const { problems } = load('[cache]\nlow = 95\n', { env: { SVC_CHAIN_PRIVATE_KEY: 'k', SVC_CACHE_HIGH: '70' } })
  expect(problems).toEqual([{ field: 'cache.low', message: 'must be below cache.high', blocks: 'setup' }])
})

test('a rule that only the environment breaks is its problem, also when the file spells a choice in capitals', () => {
  const chain = defineSection('chain', {
    doc: 'Chain.',
    keys: {
      network: setting.choice(['test', 'local'], { label: 'Network', doc: 'Network.', default: 'test', editable: true }),
      info: setting.text({ label: 'Info', doc: 'Info.', default: '' }),
    },
    check: ({ network, info }) => (network === 'local' && info === '' ? [{ key: 'info', message: 'is required' }] : []),
  })
  const toml = '[chain]\nnetwork = "LOCAL"\ninfo = "x"\n'
  const { problems } = load(toml, { sections: [chain], env: { SVC_CHAIN_INFO: '' } })
  expect(problems.map(describeProblem)).toEqual(['SVC_CHAIN_INFO is required'])
  const inFile = load('[chain]\nnetwork = "LOCAL"\n', { sections: [chain], env: { SVC_CHAIN_NETWORK: 'local' } })
  expect(inFile.problems.map(describeProblem)).toEqual(['chain.info is required'])
})

test('the problem of an invalid --set value names the flag', () => {
  const { problems } = load('', { flags: { 'cache.low': 'x' } })
  expect(problems.map(describeProblem)).toEqual(['--set cache.low must be a number (was a string)'])
})

test('an empty required setting counts as missing, and the problem says what it is for', () => {
  expect(load('', { env: { SVC_CHAIN_PRIVATE_KEY: '' } }).messages).toEqual(['chain.private_key is required: Key of the wallet.'])
})

test('a required setting that is missing does not suspend the rules across the others', () => {
  const pair = defineSection('pair', {
    doc: 'Pair.',
    keys: {
      name: setting.text({ label: 'Name', doc: 'Name.', required: true, default: '' }),
      low: setting.integer({ label: 'Low', doc: 'Low.', default: 1, editable: true }),
      high: setting.integer({ label: 'High', doc: 'High.', default: 2, editable: true }),
    },
    check: ({ low, high }) => (low < high ? [] : [{ key: 'low', message: 'must be below pair.high' }]),
  })
  const { problems } = load('[pair]\nlow = 3', { sections: [pair] })
  expect(problems.map(({ field }) => field)).toEqual(['pair.name', 'pair.low'])
})

test('an invalid value is replaced by its default, so that the settings page can be shown', () => {
  expect(load('[cache]\nmax_size_gb = "big"').cache.max_size_gb).toBe(100)
})

test('a flag for an unknown setting is a problem', () => {
  expect(load('', { flags: { 'cache.nothing': '1' } }).messages).toEqual(['cache.nothing is not a setting of this service'])
})
