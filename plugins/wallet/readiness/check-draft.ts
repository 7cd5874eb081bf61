import type { Log } from '#kernel'
import type { LoadedConfig } from '#kernel/system'
import type { SpendingSettings } from '../chain/spending-policy.ts'
import type { Chain, ChainSettings, UsableProviders } from '../contract.ts'
import { chainSection, spendingSection } from '../settings.ts'
import { type ChainFacts, type CheckedSetting, judgePrivateNetworks, type ReadinessFacts } from './readiness-facts.ts'

/** The check that reports a problem with a setting. */
const checkedBy: Readonly<Record<string, CheckedSetting>> = {
  'chain.private_key': 'private_key',
  'chain.rpc_url': 'rpc_url',
  'chain.network': 'network',
  'chain.devnet_info': 'network',
  'chain.default_copies': 'default_copies',
  'chain.default_minimum_durable_copies': 'default_copies',
}

interface DraftDeps {
  readonly log: Log
  readonly usableProviders: UsableProviders | undefined
}

/** Collects the readiness facts of unsaved settings, with a chain client that is closed afterwards. */
export async function checkDraft(draft: LoadedConfig, deps: DraftDeps): Promise<ReadinessFacts> {
  const settings = draft.values.get(chainSection.path) as ChainSettings
  const unusable = new Set(draft.problems.flatMap(({ field }) => checkedBy[field] ?? []))
  return {
    unusable,
    defaultCopies: settings.default_copies,
    privateNetworks: judgePrivateNetworks(settings),
    chain:
      unusable.size > 0
        ? { kind: 'skipped' }
        : await readChain(settings, draft.values.get(spendingSection.path) as unknown as SpendingSettings, deps),
  }
}

async function readChain(settings: ChainSettings, spending: SpendingSettings, { log, usableProviders }: DraftDeps): Promise<ChainFacts> {
  // Imported late: heavy, and setup mode needs it only here.
  const { ownerOf, readReadiness } = await import('./read-readiness.ts')
  const { toSpendingLimits } = await import('../chain/spending-policy.ts')
  const chain = await open(settings, log)
  if (!chain) return { kind: 'unreachable', because: 'configuration' }
  try {
    return await readReadiness({
      chain,
      owner: ownerOf(settings.private_key),
      defaultCopies: settings.default_copies,
      allowPrivateNetworks: settings.allow_private_networks,
      withCdn: settings.with_cdn,
      approval: toSpendingLimits(spending, chain.network).approval,
      usableProviders,
    })
  } finally {
    // Not awaited: closing a websocket that never opened does not resolve.
    chain.close().catch((error: unknown) => log.debug('chain client not closed after a readiness check', { error }))
  }
}

async function open({ network, rpc_url, devnet_info, confirmations }: ChainSettings, log: Log): Promise<Chain | undefined> {
  const { openChain } = await import('../chain/clients.ts')
  const { resolveNetwork } = await import('../chain/networks.ts')
  try {
    const resolved = await resolveNetwork({ network, rpcUrl: rpc_url, devnetInfoPath: devnet_info })
    return openChain({ network: resolved, confirmations, isShortLived: true })
  } catch (error) {
    // Log only: the message contains local paths. The response names the settings instead.
    log.warn('readiness check: network cannot be opened', { error })
    return undefined
  }
}
