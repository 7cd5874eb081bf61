/** Judges the readiness facts check by check. Messages must not contain secrets or addresses (I-10). */
import type { VersionVerdict } from '../chain/contract-version-policy.ts'
import { judgeRunway } from '../chain/cost-policy.ts'
import type { Read } from '../chain/readiness-reads.ts'
import { formatUsdfc } from '../chain/usdfc-amount-policy.ts'
import type { Readiness, ReadinessCheck, ReadinessStatus } from './readiness-api.ts'
import type { ChainFacts, ChainReads, CheckedSetting, ProviderCounts, ReadinessFacts, StorageEstimate } from './readiness-facts.ts'

type ReadinessVerdict = Pick<Readiness, 'status' | 'checks' | 'partial_errors'>

const daySeconds = 86_400

export function judgeReadiness(facts: ReadinessFacts): ReadinessVerdict {
  const settings = checkSettings(facts.unusable)
  const isBlocked = settings.some(({ status }) => status === 'blocked')
  const checks = isBlocked ? [...settings] : [...settings, ...checkChain(facts)]
  const errors = isBlocked ? {} : partialErrors(facts.chain)
  return { status: worstOf(checks), checks, ...(Object.keys(errors).length === 0 ? {} : { partial_errors: errors }) }
}

/** The overall status is the first of these that a check has. */
const precedence: readonly ReadinessStatus[] = ['blocked', 'warning', 'unknown']

export function worstOf(checks: readonly Pick<ReadinessCheck, 'status'>[]): ReadinessStatus {
  return precedence.find((status) => checks.some((check) => check.status === status)) ?? 'ready'
}

const settingChecks: readonly (readonly [setting: CheckedSetting, fine: string, wrong: string, action: string])[] = [
  [
    'private_key',
    'The wallet key is set.',
    'The wallet key is missing or malformed.',
    'Run svc wallet generate, set chain.private_key or SVC_CHAIN_PRIVATE_KEY, and restart.',
  ],
  ['rpc_url', 'The URL of the chain node is valid.', 'chain.rpc_url is not an http, https, ws or wss URL.', 'Correct chain.rpc_url.'],
  [
    'network',
    'The network is valid.',
    'The network is not valid.',
    'Set chain.network to calibration or mainnet; devnet also needs chain.devnet_info.',
  ],
  [
    'default_copies',
    'The number of copies is valid.',
    'The number of copies or the minimum of durable copies is not valid.',
    'Set chain.default_copies to 1 to 8, and chain.default_minimum_durable_copies to at most that number.',
  ],
]

function checkSettings(unusable: ReadonlySet<CheckedSetting>): readonly ReadinessCheck[] {
  return settingChecks.map(([setting, fine, wrong, action]) => {
    const id = `config_${setting}` as const
    return unusable.has(setting) ? { id, status: 'blocked', message: wrong, action } : ready(id, fine)
  })
}

function checkChain({ chain, privateNetworks, defaultCopies }: ReadinessFacts): readonly ReadinessCheck[] {
  const opened = privateNetworks === 'refused' ? [] : [privateNetworks === 'needed' ? neededNetworks : allowedNetworks]
  switch (chain.kind) {
    case 'skipped':
      return []
    case 'unreachable':
      return [unreachableNode(chain.because), ...opened]
    case 'other_network':
      return [...opened, otherNetwork(chain)]
    case 'answered':
      return [...opened, ready('network_match', 'The chain node serves the configured network.'), ...checkReads(chain, defaultCopies)]
  }
}

function checkReads({ contracts, gas, usdfc, runwaySeconds, providers, estimate }: ChainReads, copies: number): readonly ReadinessCheck[] {
  return [
    ...checkContracts(contracts),
    judge('wallet_fil_gas', gas, 'The gas balance of the wallet cannot be read.', checkGas),
    judge('wallet_usdfc', usdfc, 'The USDFC balance of the wallet cannot be read.', checkUsdfc),
    judge('payment_account', runwaySeconds, 'The payment account cannot be read.', () =>
      ready('payment_account', 'The payment account can be read.'),
    ),
    judge('payment_runway', runwaySeconds, 'The runway of the deposit cannot be computed.', checkRunway),
    ...(providers
      ? [judge('providers', providers, 'The list of providers cannot be read.', (counts) => checkProviders(counts, copies))]
      : []),
    judge('storage_cost', estimate, 'The cost of storing cannot be estimated.', ({ cost, cdnLockup }) => {
      const cdn = cdnLockup > 0n ? `, including ${formatUsdfc(cdnLockup)} locked for CDN retrieval` : ''
      return ready('storage_cost', `A first object on ${copies} new data sets needs ${formatUsdfc(cost)} USDFC of the deposit${cdn}.`)
    }),
    judge('payment_funding', estimate, 'The required deposit cannot be computed.', checkFunding),
    judge('fwss_approval', estimate, 'The approval of the storage service cannot be checked.', checkApproval),
  ]
}

function judge<T>(id: ReadinessCheck['id'], read: Read<T>, unread: string, check: (value: T) => ReadinessCheck): ReadinessCheck {
  return read.isKnown ? check(read.value) : { id, status: 'unknown', message: unread, action: 'Check the chain node and try again.' }
}

const ready = (id: ReadinessCheck['id'], message: string): ReadinessCheck => ({ id, status: 'ready', message })

const neededNetworks = ready('private_networks', 'Provider URLs on loopback addresses are allowed, as a devnet needs.')

const allowedNetworks: ReadinessCheck = {
  id: 'private_networks',
  status: 'warning',
  message: 'Provider URLs on private and loopback addresses are allowed.',
  action: 'Disable chain.allow_private_networks unless you trust every provider.',
}

function unreachableNode(because: Extract<ChainFacts, { kind: 'unreachable' }>['because']): ReadinessCheck {
  return {
    id: 'sdk_client',
    status: 'unknown',
    message: because === 'configuration' ? 'The configured network cannot be opened.' : 'The chain node does not answer.',
    action:
      because === 'configuration' ? 'Correct chain.network and chain.devnet_info.' : 'Check chain.rpc_url and the node, then try again.',
  }
}

function otherNetwork({ reportedChainId, expectedChainId }: Extract<ChainFacts, { kind: 'other_network' }>): ReadinessCheck {
  return {
    id: 'network_match',
    status: 'blocked',
    message: `The chain node serves chain ${reportedChainId}; the configured network is chain ${expectedChainId}.`,
    action: 'Correct chain.network or chain.rpc_url.',
  }
}

/** Listed only when it blocks: unreadable versions show as unknown in the other checks. */
function checkContracts(read: Read<VersionVerdict>): readonly ReadinessCheck[] {
  if (!read.isKnown || read.value.isSupported) return []
  const action = 'Update svc or check chain.network; nothing is paid until then.'
  return [{ id: 'contract_versions', status: 'blocked', message: read.value.reason, action }]
}

function checkGas(balance: bigint): ReadinessCheck {
  if (balance > 0n) return ready('wallet_fil_gas', 'The wallet holds FIL for gas.')
  const action = 'Send FIL to the wallet; on calibration, run svc wallet fund-testnet.'
  return { id: 'wallet_fil_gas', status: 'blocked', message: 'The wallet holds no FIL for gas.', action }
}

function checkUsdfc(balance: bigint): ReadinessCheck {
  if (balance > 0n) return ready('wallet_usdfc', `The wallet holds ${formatUsdfc(balance)} USDFC in addition to the deposit.`)
  const action = 'Send USDFC to the wallet before the next deposit.'
  return { id: 'wallet_usdfc', status: 'warning', message: 'The wallet holds no USDFC in addition to the deposit.', action }
}

function checkRunway(seconds: number | null): ReadinessCheck {
  const id = 'payment_runway'
  if (seconds === null) return ready(id, 'The account has no running costs.')
  const action = 'Run svc wallet deposit.'
  const level = judgeRunway(seconds)
  if (level === 'empty') return { id, status: 'blocked', message: 'The deposit is used up.', action }
  const message = `The deposit lasts ${Math.floor(seconds / daySeconds)} days.`
  if (level === 'ok') return ready(id, message)
  const isSerious = level === 'serious'
  return {
    id,
    status: 'warning',
    message: isSerious ? `${message} Without a further one, no copies are made after that.` : message,
    action,
  }
}

const checkSilence = 'Check that this host reaches the providers; svc admin provider list --status unavailable shows why each fails.'

/** Providers in use come first: buckets cannot leave them for others. */
function checkProviders({ usable, silent, inUse, inUseSilent }: ProviderCounts, copies: number): ReadinessCheck {
  const id = 'providers'
  const message = `${usable} approved providers are usable; the default is ${copies} copies.`
  if (usable < copies)
    return { id, status: 'blocked', message, action: 'Lower chain.default_copies, or wait until more providers are approved.' }
  if (inUse > 0 && inUseSilent === inUse) {
    const dark = `None of the ${inUse} providers with data sets of this service answers.`
    return { id, status: 'blocked', message: dark, action: checkSilence }
  }
  if (usable - silent < copies) {
    const few = `${usable - silent} of ${usable} approved providers answer; the default is ${copies} copies.`
    return { id, status: 'blocked', message: few, action: checkSilence }
  }
  if (inUseSilent > 0) {
    const some = `${inUseSilent} of ${inUse} providers with data sets of this service do not answer.`
    return { id, status: 'warning', message: some, action: checkSilence }
  }
  return ready(id, message)
}

function checkFunding({ depositNeeded }: StorageEstimate): ReadinessCheck {
  if (depositNeeded <= 0n) return ready('payment_funding', 'The deposit covers a first object.')
  const amount = formatUsdfc(depositNeeded)
  return {
    id: 'payment_funding',
    status: 'blocked',
    message: `A first object needs a further deposit of ${amount} USDFC.`,
    action: `Run svc wallet deposit ${amount}, or deposit more for a longer runway.`,
    required_usdfc: String(depositNeeded),
  }
}

function checkApproval({ approval }: StorageEstimate): ReadinessCheck {
  const id = 'fwss_approval'
  if (approval.kind === 'enough') return ready(id, 'The storage service is approved to charge the deposit.')
  if (approval.kind === 'nearly_used')
    return { id, status: 'warning', message: 'At least 90 % of the approval of the storage service is used.', action: approval.advice }
  if (approval.kind === 'above_settings')
    return {
      id,
      status: 'warning',
      message: 'The approval of the storage service is above the limits in chain.spending.',
      action: approval.advice,
    }
  const message = 'The storage service is not approved to charge the deposit, or the approval is too low.'
  return { id, status: 'blocked', message, action: approval.advice }
}

function partialErrors(chain: ChainFacts): NonNullable<Readiness['partial_errors']> {
  if (chain.kind === 'unreachable') return { sdk_client: chain.because }
  if (chain.kind !== 'answered') return {}
  const reads = {
    fil_gas_balance: chain.gas,
    usdfc_wallet_balance: chain.usdfc,
    usdfc_account: chain.runwaySeconds,
    storage_info: chain.providers,
    storage_cost: chain.estimate,
  }
  return Object.fromEntries(Object.entries(reads).flatMap(([name, read]) => (!read || read.isKnown ? [] : [[name, read.because]])))
}
