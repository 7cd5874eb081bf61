/** How the readiness checks learn the number of providers. */
import { defineExtensionPoint } from '#kernel'
import type { Chain } from '../chain/clients.ts'

export interface UsableProviders {
  readonly name: string
  /**
   * Counts the providers that could store a copy now, from chain data alone: it sends no request to providers. Also called with unsaved
   * settings and in setup mode, so it uses no services. Rejects with the chain client's errors.
   */
  count(chain: Chain, options: { readonly allowPrivateNetworks: boolean }): Promise<number>
}

/** Adds the check of the providers to the readiness. */
export const usableProviders = defineExtensionPoint<UsableProviders>('wallet.usable-providers')
