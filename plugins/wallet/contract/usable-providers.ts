/** How the readiness checks learn which providers can store copies. */
import { defineExtensionPoint } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'
import type { Chain } from '../chain/clients.ts'

export interface UsableProviders {
  readonly name: string
  /**
   * Ids of the providers that could store a copy now, from chain data alone: it sends no request to providers. Also called with unsaved
   * settings and in setup mode, so it uses no services. Rejects with the chain client's errors.
   */
  list(chain: Chain, options: { readonly allowPrivateNetworks: boolean }): Promise<readonly string[]>
}

/** Adds the check of the providers to the readiness. */
export const usableProviders = defineExtensionPoint<UsableProviders>('wallet.usable-providers')

/** What the running service knows of providers, by id. */
export interface KnownProviders {
  /** Providers that do not answer our calls. */
  readonly silent?: ReadonlySet<string>
  /** Providers with data sets of ours that take copies. */
  readonly inUse?: ReadonlySet<string>
}

interface ProviderKnowledge<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Reads what earlier calls found; it sends no request. */
  read(services: Resolved<U>): Promise<KnownProviders>
}

/** Adds to the readiness of a running service what it knows of its providers. Drafts of settings are judged without it. */
export const providerKnowledge = defineExtensionPoint<ProviderKnowledge>('wallet.provider-knowledge')

export const defineProviderKnowledge = <const U extends Uses>(knowledge: ProviderKnowledge<U>): ProviderKnowledge => knowledge
