import { expect, test } from 'vitest'
import { changeText, listChanges, preflightChanges, publicEndpoint, showText, toBody, toValue } from './draft-policy.ts'
import { aboutSetting, settingsWith } from './testing/settings.ts'

const settings = settingsWith(
  {
    'cache.max_size_gb': aboutSetting({ type: 'integer' }),
    'cache.fill_on_read': aboutSetting({ type: 'flag' }),
    'chain.network': aboutSetting({ allowed: ['calibration', 'mainnet', 'devnet'] }),
    'chain.rpc_url': aboutSetting(),
    'plugins.disabled': aboutSetting({ type: 'list' }),
    'admin.addr': aboutSetting({ editable: false }),
  },
  {
    config: {
      cache: { max_size_gb: 10, fill_on_read: true },
      chain: { network: 'calibration' },
      plugins: { disabled: ['tasks', 's3'] },
    },
    defaults: { chain_rpc_urls: { calibration: 'https://calibration.example/', mainnet: 'https://mainnet.example/' } },
  },
)

test.each([
  ['integer', ' 12 ', 12],
  ['integer', '12x', '12x'],
  ['integer', '1.5', '1.5'],
  ['flag', 'true', true],
  ['flag', 'false', false],
  ['list', 'a, b  c,', ['a', 'b', 'c']],
  ['list', '', []],
  ['duration', ' 1h30m', '1h30m'],
  ['text', '<img onerror=x>', '<img onerror=x>'],
] as const)('a text of the type %s: %j', (type, text, value) => {
  expect(toValue(text, { type })).toEqual(value)
})

test('only texts with another meaning are changes, and never those that cannot be changed here', () => {
  const drafts = { 'cache.max_size_gb': ' 10 ', 'plugins.disabled': 'tasks,s3', 'cache.fill_on_read': 'false', 'admin.addr': '0.0.0.0:1' }
  expect(listChanges(settings, drafts)).toMatchObject([{ field: 'cache.fill_on_read', from: 'true', to: 'false' }])
  const managed = { ...settings, env_managed: { 'cache.fill_on_read': 'SVC_CACHE_FILL_ON_READ' } }
  expect(listChanges(managed, drafts)).toEqual([])
})

test('the body has the changes alone, nested like the file', () => {
  const changes = listChanges(settings, { 'cache.max_size_gb': '5', 'plugins.disabled': '', 'cache.fill_on_read': 'false' })
  expect(toBody(changes)).toEqual({ cache: { max_size_gb: 5, fill_on_read: false }, plugins: { disabled: [] } })
})

test('the preflight gets what it takes of the changes', () => {
  const changes = listChanges(settings, { 'chain.network': 'mainnet', 'cache.max_size_gb': '5' })
  expect(preflightChanges(changes).map(({ field }) => field)).toEqual(['chain.network'])
})

test('another network replaces the public endpoint of the old one, and leaves an endpoint of the operator', () => {
  expect(changeText(settings, { 'chain.rpc_url': 'https://calibration.example/' }, 'chain.network', 'mainnet')).toEqual({
    'chain.network': 'mainnet',
    'chain.rpc_url': 'https://mainnet.example/',
  })
  expect(changeText(settings, { 'chain.rpc_url': 'https://mine.example/' }, 'chain.network', 'mainnet')['chain.rpc_url']).toBe(
    'https://mine.example/',
  )
  expect(changeText(settings, {}, 'chain.network', 'mainnet')).toEqual({ 'chain.network': 'mainnet' })
  expect(publicEndpoint(settings, { 'chain.network': 'mainnet' })).toBe('https://mainnet.example/')
  expect(publicEndpoint(settings, { 'chain.network': 'devnet' })).toBeUndefined()
})

test('an endpoint that is the default of the network is no change, and follows the network', () => {
  const shown = { ...settings, config: { chain: { network: 'calibration', rpc_url: 'https://calibration.example/' } } }
  const drafts = changeText(shown, {}, 'chain.network', 'mainnet')
  expect(drafts['chain.rpc_url']).toBe('https://mainnet.example/')
  expect(listChanges(shown, drafts).map(({ field }) => field)).toEqual(['chain.network'])
  const chosen = { ...shown, metadata: { ...shown.metadata, 'chain.rpc_url': aboutSetting({ source: 'file' }) } }
  expect(listChanges(chosen, drafts).map(({ field }) => field)).toEqual(['chain.network', 'chain.rpc_url'])
})

test('values are shown in words', () => {
  expect([showText('true', { type: 'flag' }), showText('false', { type: 'flag' }), showText('', { type: 'text' })]).toEqual([
    'On',
    'Off',
    'Not set',
  ])
})
