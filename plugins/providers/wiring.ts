/** Creates the services of this plugin. Heavy modules are imported when their service is created. */
import { clock, database, log, provide } from '#kernel'
import { contributions, workerSection } from '#kernel/system'
import { chainClient, chainSettings } from '#plugins/wallet'
import { lookupsAtOnceMax, storesAtOnceMax } from './client/provider-limits.ts'
import { laneSection } from './contract/settings.ts'
import { observabilitySection, providerFactSources, providerFacts, providers, warmStorageReads } from './contract.ts'
import { createProviderFacts } from './inventory/provider-facts.ts'

export const providerServices = [
  provide(providerFacts, { contributions }, ({ contributions }) => createProviderFacts(() => contributions.to(providerFactSources))),
  provide(warmStorageReads, { chain: chainClient }, async ({ chain }) =>
    (await import('./chain/warm-storage-reads.ts')).openWarmStorageReads(chain),
  ),
  provide(
    providers,
    {
      database,
      chain: chainClient,
      clock,
      log,
      settings: chainSettings,
      worker: workerSection.settings,
      lanes: laneSection.settings,
      facts: providerFacts,
      checks: observabilitySection.settings,
    },
    async ({ settings, worker, lanes, ...deps }) => {
      const { createProviders } = await import('./inventory/providers.ts')
      const slots = {
        store: Math.min(storesAtOnceMax, worker.concurrency),
        lookup: Math.min(lookupsAtOnceMax, worker.concurrency),
        mutation: Math.min(lanes.provider_mutation_concurrency, worker.concurrency),
        removal: Math.min(lanes.destructive_mutation_concurrency, worker.concurrency),
      }
      return createProviders({ ...deps, slots, egress: { allowPrivateNetworks: settings.allow_private_networks } })
    },
  ),
] as const
