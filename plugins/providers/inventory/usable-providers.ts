import { clock } from '#kernel'
import { checkEgress, defineProviderKnowledge, type UsableProviders } from '#plugins/wallet'
import { readApprovedIds, readRegistry } from '../chain/provider-registry.ts'
import { pieceBytesMin } from '../client/provider-limits.ts'
import { providers } from '../contract/providers.ts'
import { observabilitySection } from '../contract/settings.ts'
import { isSilent } from './silence-policy.ts'

/** Concurrent DNS lookups. */
const lookupsAtOnce = 10

/** Ignores the registered minimum: providers register 1 MiB by default but accept pieces from 127 bytes. */
export const usableByChain: UsableProviders = {
  name: 'providers',
  async list(chain, { allowPrivateNetworks }) {
    const [approved, listed] = await Promise.all([readApprovedIds(chain), readRegistry(chain)])
    const possible = listed.filter(
      ({ providerId, isActive, problem, pieceBytesMax = 0n }) =>
        approved.has(providerId) && isActive && problem === undefined && pieceBytesMax >= pieceBytesMin,
    )
    const usable: string[] = []
    for (let at = 0; at < possible.length; at += lookupsAtOnce) {
      const some = possible.slice(at, at + lookupsAtOnce)
      const checks = await Promise.all(some.map(({ serviceUrl = '' }) => checkEgress(serviceUrl, { allowPrivateNetworks })))
      usable.push(...some.flatMap(({ providerId }, index) => (checks[index]?.kind === 'allowed' ? [providerId] : [])))
    }
    return usable
  },
}

/** Providers that answer neither the pings of the last rounds nor our other calls. */
export const silentProviders = defineProviderKnowledge({
  name: 'silent-providers',
  uses: { providers, clock, settings: observabilitySection.settings },
  async read({ providers, clock, settings }) {
    const inventory = await providers.inventory()
    const time = { nowMs: clock.now(), intervalMs: settings.interval }
    const silent = inventory.providers.filter(
      (provider) => isSilent(provider, time) || (provider.serviceUrl !== null && providers.turns.isUnresponsive(provider.serviceUrl)),
    )
    return { silent: new Set(silent.map(({ providerId }) => providerId)) }
  },
})
