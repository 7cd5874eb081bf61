/** Services that exist only where replication does: without it they are undefined. */
import { clock, database, log, optional, provide } from '#kernel'
import { observabilitySection, providers, warmStorageReads } from '#plugins/providers'
import { standings } from '#plugins/replication'
import { chainClient, signer } from '#plugins/wallet'
import { missedProofs } from '../health/missed-proofs.ts'
import { dataSetObservers } from './data-set-observer.ts'

export const dataSetServices = [
  provide(
    dataSetObservers,
    {
      database,
      clock,
      log,
      chain: optional(chainClient),
      reads: optional(warmStorageReads),
      signer: optional(signer),
      standings: optional(standings),
      providers: optional(providers),
      settings: optional(observabilitySection.settings),
    },
    async ({ chain, reads, signer, standings, providers, settings, ...deps }) => {
      if (!chain || !reads || !signer || !standings || !providers || !settings) return { found: undefined }
      const { createDataSetObservers } = await import('./data-set-observer.ts')
      return { found: createDataSetObservers({ ...deps, chain, reads, signer, standings, providers, concurrency: settings.concurrency }) }
    },
  ),
  provide(missedProofs, { observers: dataSetObservers }, ({ observers }) => ({
    byProvider: async () => observers.found?.missedProofs() ?? new Map(),
  })),
] as const
