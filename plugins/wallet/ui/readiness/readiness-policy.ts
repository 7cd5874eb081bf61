import type { Answer, Tone } from '@svc/ui-kit'

export type Readiness = Answer<'GET /chain/readiness'>
export type Check = Readiness['checks'][number]

export const statusWords: Readonly<Record<Check['status'], readonly [tone: Tone, word: string]>> = {
  ready: ['success', 'Ready'],
  warning: ['warning', 'Warning'],
  blocked: ['danger', 'Blocked'],
  unknown: ['neutral', 'Unknown'],
}

const precedence: readonly Check['status'][] = ['blocked', 'unknown', 'warning']

/** Each answer needs several reads of the chain. */
export const readinessPollMs = 60_000

/** The one check that an operator should look at first. Those that were dismissed and are only warnings are left out. */
export function worstCheck(checks: readonly Check[], dismissed: readonly string[]): Check | undefined {
  const open = checks.filter(({ id, status }) => status !== 'ready' && !(status === 'warning' && dismissed.includes(id)))
  return precedence.flatMap((status) => open.filter((check) => check.status === status))[0]
}

/** A deliberate choice of the operator, which may be hidden in this browser. */
export const isDismissible = ({ id }: Pick<Check, 'id'>): boolean => id === 'private_networks'

interface CheckGroup {
  readonly title: string
  readonly checks: readonly Check[]
}

const groups: readonly (readonly [title: string, prefixes: readonly string[]])[] = [
  ['Wallet and payments', ['wallet_', 'payment_', 'storage_cost', 'fwss_approval']],
  ['Chain and providers', ['network_match', 'contract_versions', 'sdk_client', 'providers', 'private_networks']],
  ['Settings', ['config_']],
]

/** Open checks first in each group; checks of later versions come last. */
export function groupChecks(checks: readonly Check[]): readonly CheckGroup[] {
  const isIn = (prefixes: readonly string[]) => (check: Check) => prefixes.some((prefix) => check.id.startsWith(prefix))
  const known = groups.map(([title, prefixes]) => ({ title, checks: checks.filter(isIn(prefixes)) }))
  const others = checks.filter((check) => !groups.some(([, prefixes]) => isIn(prefixes)(check)))
  return [...known, { title: 'Other checks', checks: others }]
    .filter((group) => group.checks.length > 0)
    .map((group) => ({ ...group, checks: [...group.checks].sort((a, b) => Number(a.status === 'ready') - Number(b.status === 'ready')) }))
}

const labels: Readonly<Record<string, string>> = {
  config_private_key: 'Wallet key',
  config_rpc_url: 'URL of the chain node',
  config_network: 'Network',
  config_default_copies: 'Number of copies',
  sdk_client: 'Chain node',
  private_networks: 'Private networks',
  network_match: 'Network of the node',
  contract_versions: 'Contracts',
  wallet_fil_gas: 'FIL for gas',
  wallet_usdfc: 'USDFC in the wallet',
  payment_account: 'Payment account',
  payment_runway: 'Runway of the deposit',
  providers: 'Providers',
  storage_cost: 'Cost of a first object',
  payment_funding: 'Deposit',
  fwss_approval: 'Approval of the storage service',
}

export const labelOf = (id: string): string => labels[id] ?? id.replaceAll('_', ' ')

const failedReads: Readonly<Record<string, string>> = {
  sdk_client: 'Chain node',
  fil_gas_balance: 'Gas balance',
  usdfc_wallet_balance: 'USDFC balance',
  usdfc_account: 'Payment account',
  storage_info: 'List of providers',
  storage_cost: 'Estimate of costs',
}

/** Reads that failed, with the kind of failure. */
export const listFailedReads = (errors: Readiness['partial_errors']): readonly string[] =>
  Object.entries(errors ?? {}).map(([name, reason]) => `${failedReads[name] ?? name}: ${reason}`)
