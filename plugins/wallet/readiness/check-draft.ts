/** The facts about settings that no service was made of: the chain client lives as long as the check. */
import type { LoadedConfig, Log } from '#kernel'
import type { SpendingSettings } from '../chain/spending-policy.ts'
import type { Chain, ChainSettings } from '../contract.ts'
import { chainSection, spendingSection } from '../settings.ts'
import type { ChainFacts, CheckedSetting, ReadinessFacts } from './readiness-facts.ts'

/** Which check tells of a problem with a setting. */
const checkedBy: Readonly<Record<string, CheckedSetting>> = {
  'chain.private_key': 'private_key',
  'chain.rpc_url': 'rpc_url',
  'chain.network': 'network',
  'chain.devnet_info': 'network',
  'chain.default_copies': 'default_copies',
  'chain.default_minimum_durable_copies': 'default_copies',
}

export async function checkDraft(draft: LoadedConfig, log: Log): Promise<ReadinessFacts> {
  const settings = draft.values.get(chainSection.path) as ChainSettings
  const unusable = new Set(draft.problems.flatMap(({ field }) => checkedBy[field] ?? []))
  return {
    unusable,
    defaultCopies: settings.default_copies,
    allowPrivateNetworks: settings.allow_private_networks,
    chain:
      unusable.size > 0
        ? { kind: 'unasked' }
        : await askChain(settings, draft.values.get(spendingSection.path) as unknown as SpendingSettings, log),
  }
}

async function askChain(settings: ChainSettings, spending: SpendingSettings, log: Log): Promise<ChainFacts> {
  // Heavy, and in setup mode nothing else needs it.
  const { ownerOf, readReadiness } = await import('./read-readiness.ts')
  const { toSpendingLimits } = await import('../chain/spending-policy.ts')
  const chain = await open(settings, log)
  if (!chain) return { kind: 'silent', because: 'configuration' }
  try {
    return await readReadiness({
      chain,
      owner: ownerOf(settings.private_key),
      defaultCopies: settings.default_copies,
      allowPrivateNetworks: settings.allow_private_networks,
      withCdn: settings.with_cdn,
      approval: toSpendingLimits(spending, chain.network).approval,
    })
  } finally {
    // Not awaited: a websocket that never opened cannot be closed, and the answer must not wait for it.
    chain.close().catch((error: unknown) => log.debug('a chain client of a check could not be closed', { error }))
  }
}

async function open({ network, rpc_url, devnet_info, confirmations }: ChainSettings, log: Log): Promise<Chain | undefined> {
  const { openChain } = await import('../chain/clients.ts')
  const { resolveNetwork } = await import('../chain/networks.ts')
  try {
    const resolved = await resolveNetwork({ network, rpcUrl: rpc_url, devnetInfoPath: devnet_info })
    return openChain({ network: resolved, confirmations, isShortLived: true })
  } catch (error) {
    // Its words name paths of this machine: they go to the log, and the answer names the settings.
    log.warn('the network of a readiness check cannot be opened', { error })
    return undefined
  }
}
