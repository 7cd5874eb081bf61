import { expect, test } from 'vitest'
import type { Read } from '../chain/readiness-reads.ts'
import { judgeReadiness, worstOf } from './judge-readiness-policy.ts'
import type { ReadinessCheck, ReadinessStatus } from './readiness-api.ts'
import type { ChainFacts, ChainReads, CheckedSetting, ReadinessFacts, StorageEstimate } from './readiness-facts.ts'

const known = <T>(value: T): Read<T> => ({ isKnown: true, value })
const unread = { isKnown: false, because: 'RPC failure' } as const
const day = 86_400

const fine: ChainReads = {
  contracts: known({ isSupported: true }),
  gas: known(1n),
  usdfc: known(1n),
  runwaySeconds: known(null),
  providers: known({ usable: 3, silent: 0, inUse: 3, inUseSilent: 0 }),
  estimate: known({ cost: 10n ** 17n, depositNeeded: 0n, cdnLockup: 0n, approval: { kind: 'enough' } }),
}

const facts = (chain: ChainFacts, more: Partial<ReadinessFacts> = {}): ReadinessFacts => ({
  unusable: new Set(),
  defaultCopies: 3,
  privateNetworks: 'refused',
  chain,
  ...more,
})
const answered = (reads: Partial<ChainReads> = {}): ChainFacts => ({ kind: 'answered', ...fine, ...reads })
const statusOf = (id: ReadinessCheck['id'], given: ReadinessFacts) => judgeReadiness(given).checks.find((check) => check.id === id)?.status
const idsOf = (given: ReadinessFacts) => judgeReadiness(given).checks.map(({ id }) => id)

const settingIds = ['config_private_key', 'config_rpc_url', 'config_network', 'config_default_copies']
const readIds = [
  'network_match',
  'wallet_fil_gas',
  'wallet_usdfc',
  'payment_account',
  'payment_runway',
  'providers',
  'storage_cost',
  'payment_funding',
  'fwss_approval',
]

test('complete facts are ready in every check, in a fixed order', () => {
  const verdict = judgeReadiness(facts(answered()))
  expect(verdict.status).toBe('ready')
  expect(verdict.checks.map(({ id }) => id)).toEqual([...settingIds, ...readIds])
  expect(verdict.checks.every(({ status, action }) => status === 'ready' && action === undefined)).toBe(true)
  expect(verdict).not.toHaveProperty('partial_errors')
})

test('without a plugin that knows providers there is no check of them', () => {
  expect(idsOf(facts(answered({ providers: undefined })))).toEqual([...settingIds, ...readIds.filter((id) => id !== 'providers')])
})

test.each<CheckedSetting>(['private_key', 'rpc_url', 'network', 'default_copies'])(
  'an invalid %s blocks, and the chain is not read',
  (name) => {
    const given = facts({ kind: 'skipped' }, { unusable: new Set([name]), privateNetworks: 'allowed' })
    const { status, checks } = judgeReadiness(given)
    expect(status).toBe('blocked')
    expect(checks.map(({ id }) => id)).toEqual(settingIds)
    expect(checks.filter((check) => check.status === 'blocked')).toMatchObject([{ id: `config_${name}`, action: expect.any(String) }])
  },
)

test.each<readonly [name: string, id: ReadinessCheck['id'], status: ReadinessStatus, reads: Partial<ChainReads>]>([
  [
    'an approval that is nearly used up',
    'fwss_approval',
    'warning',
    { estimate: known({ cost: 2n, depositNeeded: 0n, cdnLockup: 0n, approval: { kind: 'nearly_used', advice: 'Raise it.' } }) },
  ],
  [
    'an approval above the settings',
    'fwss_approval',
    'warning',
    { estimate: known({ cost: 2n, depositNeeded: 0n, cdnLockup: 0n, approval: { kind: 'above_settings', advice: 'Lower it.' } }) },
  ],
  ['no gas', 'wallet_fil_gas', 'blocked', { gas: known(0n) }],
  ['gas that cannot be read', 'wallet_fil_gas', 'unknown', { gas: unread }],
  ['no USDFC in addition to the deposit', 'wallet_usdfc', 'warning', { usdfc: known(0n) }],
  ['USDFC that cannot be read', 'wallet_usdfc', 'unknown', { usdfc: unread }],
  ['an account that cannot be read', 'payment_account', 'unknown', { runwaySeconds: unread }],
  ['an unknown runway', 'payment_runway', 'unknown', { runwaySeconds: unread }],
  ['a deposit that is used up', 'payment_runway', 'blocked', { runwaySeconds: known(0) }],
  ['a deposit of a second', 'payment_runway', 'warning', { runwaySeconds: known(1) }],
  ['a deposit of just less than 30 days', 'payment_runway', 'warning', { runwaySeconds: known(30 * day - 1) }],
  ['a deposit of 30 days', 'payment_runway', 'ready', { runwaySeconds: known(30 * day) }],
  ['no running costs', 'payment_runway', 'ready', { runwaySeconds: known(null) }],
  ['one provider too few', 'providers', 'blocked', { providers: known({ usable: 2, silent: 0, inUse: 0, inUseSilent: 0 }) }],
  ['too few providers that answer', 'providers', 'blocked', { providers: known({ usable: 4, silent: 2, inUse: 0, inUseSilent: 0 }) }],
  [
    'no answer from any provider in use, though others answer',
    'providers',
    'blocked',
    { providers: known({ usable: 9, silent: 3, inUse: 3, inUseSilent: 3 }) },
  ],
  ['a provider in use that is silent', 'providers', 'warning', { providers: known({ usable: 9, silent: 1, inUse: 3, inUseSilent: 1 }) }],
  ['providers that cannot be read', 'providers', 'unknown', { providers: unread }],
  ['no estimate: cost', 'storage_cost', 'unknown', { estimate: unread }],
  ['no estimate: deposit', 'payment_funding', 'unknown', { estimate: unread }],
  ['no estimate: approval', 'fwss_approval', 'unknown', { estimate: unread }],
  [
    'a missing deposit',
    'payment_funding',
    'blocked',
    { estimate: known({ cost: 2n, depositNeeded: 1n, cdnLockup: 0n, approval: { kind: 'enough' } }) },
  ],
  [
    'a missing approval',
    'fwss_approval',
    'blocked',
    { estimate: known({ cost: 2n, depositNeeded: 0n, cdnLockup: 0n, approval: { kind: 'lacking', advice: 'Run svc wallet approve.' } }) },
  ],
])('%s: %s is %s', (_name, id, status, reads) => {
  const given = facts(answered(reads))
  expect(statusOf(id, given)).toBe(status)
  expect(idsOf(given)).toEqual([...settingIds, ...readIds])
  expect(judgeReadiness(given).status).toBe(status)
})

test('the missing deposit is given in base units for scripts and in USDFC for operators', () => {
  const estimate = known<StorageEstimate>({ cost: 2n, depositNeeded: 15n * 10n ** 17n, cdnLockup: 0n, approval: { kind: 'enough' } })
  expect(judgeReadiness(facts(answered({ estimate }))).checks.find(({ id }) => id === 'payment_funding')).toEqual({
    id: 'payment_funding',
    status: 'blocked',
    message: 'A first object needs a further deposit of 1.5 USDFC.',
    action: 'Run svc wallet deposit 1.5, or deposit more for a longer runway.',
    required_usdfc: '1500000000000000000',
  })
})

test('the cost of a first object names the CDN lockup', () => {
  const estimate = known<StorageEstimate>({
    cost: 36n * 10n ** 17n,
    cdnLockup: 3n * 10n ** 18n,
    depositNeeded: 0n,
    approval: { kind: 'enough' },
  })
  const { checks } = judgeReadiness(facts(answered({ estimate })))
  expect(checks.find(({ id }) => id === 'storage_cost')?.message).toBe(
    'A first object on 3 new data sets needs 3.6 USDFC of the deposit, including 3 locked for CDN retrieval.',
  )
})

test('contracts of an unknown version block with the version; supported and unread ones are not listed', () => {
  const reason = 'FilecoinWarmStorageService is at version 2.0.0; this release needs 1.3 or a later 1.x.'
  const given = facts(answered({ contracts: known({ isSupported: false, reason }) }))
  expect(judgeReadiness(given)).toMatchObject({ status: 'blocked' })
  expect(judgeReadiness(given).checks.find(({ id }) => id === 'contract_versions')).toMatchObject({ status: 'blocked', message: reason })
  expect(idsOf(facts(answered({ contracts: unread })))).not.toContain('contract_versions')
})

test('a node of another network blocks, and no further check runs', () => {
  const given = facts({ kind: 'other_network', reportedChainId: 1, expectedChainId: 314 })
  expect(idsOf(given)).toEqual([...settingIds, 'network_match'])
  expect(judgeReadiness(given)).toMatchObject({ status: 'blocked' })
  expect(judgeReadiness(given)).not.toHaveProperty('partial_errors')
})

test.each(['timeout', 'RPC failure', 'configuration'] as const)('an unreachable node (%s) makes every check unknown', (because) => {
  const given = facts({ kind: 'unreachable', because })
  expect(idsOf(given)).toEqual([...settingIds, 'sdk_client'])
  expect(judgeReadiness(given)).toMatchObject({ status: 'unknown', partial_errors: { sdk_client: because } })
})

test('allowed private networks cause a warning with any answer of the node', () => {
  const open = { privateNetworks: 'allowed' } as const
  expect(idsOf(facts(answered(), open))).toEqual([...settingIds, 'private_networks', ...readIds])
  expect(judgeReadiness(facts(answered(), open)).status).toBe('warning')
  expect(idsOf(facts({ kind: 'unreachable', because: 'timeout' }, open))).toEqual([...settingIds, 'sdk_client', 'private_networks'])
})

test('a devnet needs private networks: that is no warning', () => {
  expect(judgeReadiness(facts(answered(), { privateNetworks: 'needed' })).status).toBe('ready')
})

test('every failed read is listed with its reason', () => {
  const nothing: ChainReads = {
    contracts: unread,
    gas: unread,
    usdfc: unread,
    runwaySeconds: unread,
    providers: unread,
    estimate: unread,
  }
  expect(judgeReadiness(facts(answered(nothing))).partial_errors).toEqual({
    fil_gas_balance: 'RPC failure',
    usdfc_wallet_balance: 'RPC failure',
    usdfc_account: 'RPC failure',
    storage_info: 'RPC failure',
    storage_cost: 'RPC failure',
  })
})

test.each<readonly [statuses: readonly ReadinessStatus[], whole: ReadinessStatus]>([
  [['ready', 'unknown', 'warning', 'blocked'], 'blocked'],
  [['ready', 'unknown', 'warning'], 'warning'],
  [['unknown', 'ready'], 'unknown'],
  [['ready', 'ready'], 'ready'],
  [[], 'ready'],
])('%j combine to %s', (statuses, whole) => {
  expect(worstOf(statuses.map((status) => ({ status })))).toBe(whole)
})
