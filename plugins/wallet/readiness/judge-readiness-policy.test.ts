import { expect, test } from 'vitest'
import { judgeReadiness, worstOf } from './judge-readiness-policy.ts'
import type { ReadinessCheck, ReadinessStatus } from './readiness-api.ts'
import type { ChainFacts, ChainReads, CheckedSetting, Read, ReadinessFacts, StorageEstimate } from './readiness-facts.ts'

const known = <T>(value: T): Read<T> => ({ isKnown: true, value })
const silent = { isKnown: false, because: 'RPC failure' } as const
const day = 86_400

const fine: ChainReads = {
  contracts: known({ isSupported: true }),
  gas: known(1n),
  usdfc: known(1n),
  runwaySeconds: known(null),
  usableProviders: known(3),
  estimate: known({ cost: 10n ** 17n, depositNeeded: 0n, cdnLockup: 0n, approval: { kind: 'enough' } }),
}

const facts = (chain: ChainFacts, more: Partial<ReadinessFacts> = {}): ReadinessFacts => ({
  unusable: new Set(),
  defaultCopies: 3,
  allowPrivateNetworks: false,
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

test('a chain that has everything is ready, check by check in one order', () => {
  const verdict = judgeReadiness(facts(answered()))
  expect(verdict.status).toBe('ready')
  expect(verdict.checks.map(({ id }) => id)).toEqual([...settingIds, ...readIds])
  expect(verdict.checks.every(({ status, action }) => status === 'ready' && action === undefined)).toBe(true)
  expect(verdict).not.toHaveProperty('partial_errors')
})

test.each<CheckedSetting>(['private_key', 'rpc_url', 'network', 'default_copies'])(
  'an unusable %s blocks, and the rest is not asked',
  (name) => {
    const given = facts({ kind: 'unasked' }, { unusable: new Set([name]), allowPrivateNetworks: true })
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
  ['gas that cannot be read', 'wallet_fil_gas', 'unknown', { gas: silent }],
  ['no USDFC beside the deposit', 'wallet_usdfc', 'warning', { usdfc: known(0n) }],
  ['USDFC that cannot be read', 'wallet_usdfc', 'unknown', { usdfc: silent }],
  ['an account that cannot be read', 'payment_account', 'unknown', { runwaySeconds: silent }],
  ['a runway that cannot be told', 'payment_runway', 'unknown', { runwaySeconds: silent }],
  ['a deposit that is used up', 'payment_runway', 'blocked', { runwaySeconds: known(0) }],
  ['a deposit of a second', 'payment_runway', 'warning', { runwaySeconds: known(1) }],
  ['a deposit of just less than 30 days', 'payment_runway', 'warning', { runwaySeconds: known(30 * day - 1) }],
  ['a deposit of 30 days', 'payment_runway', 'ready', { runwaySeconds: known(30 * day) }],
  ['nothing spent', 'payment_runway', 'ready', { runwaySeconds: known(null) }],
  ['a provider too few', 'providers', 'blocked', { usableProviders: known(2) }],
  ['providers that cannot be read', 'providers', 'unknown', { usableProviders: silent }],
  ['no estimate: cost', 'storage_cost', 'unknown', { estimate: silent }],
  ['no estimate: deposit', 'payment_funding', 'unknown', { estimate: silent }],
  ['no estimate: approval', 'fwss_approval', 'unknown', { estimate: silent }],
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

test('the missing deposit is named in base units, for scripts, and in USDFC, for people', () => {
  const estimate = known<StorageEstimate>({ cost: 2n, depositNeeded: 15n * 10n ** 17n, cdnLockup: 0n, approval: { kind: 'enough' } })
  expect(judgeReadiness(facts(answered({ estimate }))).checks.find(({ id }) => id === 'payment_funding')).toEqual({
    id: 'payment_funding',
    status: 'blocked',
    message: 'The deposit lacks 1.5 USDFC for a first object.',
    action: 'Run svc wallet deposit 1.5, or with more to last longer.',
    required_usdfc: '1500000000000000000',
  })
})

test('what CDN retrieval locks is named in the cost of a first object', () => {
  const estimate = known<StorageEstimate>({
    cost: 36n * 10n ** 17n,
    cdnLockup: 3n * 10n ** 18n,
    depositNeeded: 0n,
    approval: { kind: 'enough' },
  })
  const { checks } = judgeReadiness(facts(answered({ estimate })))
  expect(checks.find(({ id }) => id === 'storage_cost')?.message).toBe(
    'A first object on 3 new data sets takes 3.6 USDFC of the deposit, 3 of it locked for CDN retrieval.',
  )
})

test('contracts of an unknown version block with the version; known and unread ones are not listed', () => {
  const reason = 'FilecoinWarmStorageService is at version 2.0.0; this release needs 1.3 or a later 1.x.'
  const given = facts(answered({ contracts: known({ isSupported: false, reason }) }))
  expect(judgeReadiness(given)).toMatchObject({ status: 'blocked' })
  expect(judgeReadiness(given).checks.find(({ id }) => id === 'contract_versions')).toMatchObject({ status: 'blocked', message: reason })
  expect(idsOf(facts(answered({ contracts: silent })))).not.toContain('contract_versions')
})

test('a node of another network blocks, and its answers are not asked for', () => {
  const given = facts({ kind: 'other_network', reportedChainId: 1, expectedChainId: 314 })
  expect(idsOf(given)).toEqual([...settingIds, 'network_match'])
  expect(judgeReadiness(given)).toMatchObject({ status: 'blocked' })
  expect(judgeReadiness(given)).not.toHaveProperty('partial_errors')
})

test.each(['timeout', 'RPC failure', 'configuration'] as const)('a node that stays silent (%s) leaves everything unknown', (because) => {
  const given = facts({ kind: 'silent', because })
  expect(idsOf(given)).toEqual([...settingIds, 'sdk_client'])
  expect(judgeReadiness(given)).toMatchObject({ status: 'unknown', partial_errors: { sdk_client: because } })
})

test('private networks are warned of whatever the node says, and only while they are allowed', () => {
  const open = { allowPrivateNetworks: true }
  expect(idsOf(facts(answered(), open))).toEqual([...settingIds, 'private_networks', ...readIds])
  expect(judgeReadiness(facts(answered(), open)).status).toBe('warning')
  expect(idsOf(facts({ kind: 'silent', because: 'timeout' }, open))).toEqual([...settingIds, 'sdk_client', 'private_networks'])
})

test('every question without an answer is named with the kind of its trouble', () => {
  const nothing: ChainReads = {
    contracts: silent,
    gas: silent,
    usdfc: silent,
    runwaySeconds: silent,
    usableProviders: silent,
    estimate: silent,
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
])('%j are %s as a whole', (statuses, whole) => {
  expect(worstOf(statuses.map((status) => ({ status })))).toBe(whole)
})
