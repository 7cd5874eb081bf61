/**
 * @recipe a fact about providers
 * Contribute a source to `providerFactSources` of `plugins/providers/contract/provider-facts.ts`: blocked, preferred, region. Sources are
 * synchronous.
 */
/** Facts about providers that other plugins state. */
import { defineExtensionPoint, defineService } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'

export interface ProviderFacts {
  /** Why the provider gets no new data sets, for the log. Its data sets are kept. */
  readonly blocked?: string
  /** Greater is chosen first among providers that take pieces of the same size. Default: 0. */
  readonly preference?: number
  /** Why the provider is chosen after those without a reason, for the log and the operator. */
  readonly degraded?: string
  /** Shown as its location. */
  readonly region?: string
}

/** Members that a later plugin states override those of an earlier one. */
export interface ProviderFactSource<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Answers from memory: it is called for each provider of a selection. An error stops the selection, because a blocked provider must not be paid. */
  of(services: Resolved<U>, providerId: string): ProviderFacts | undefined
}

export const providerFactSources = defineExtensionPoint<ProviderFactSource>('providers.facts')

export const defineProviderFactSource = <const U extends Uses>(source: ProviderFactSource<U>): ProviderFactSource => source

/** The facts of all plugins. */
export interface ProviderFactsReader {
  /** Throws when a plugin cannot state them. */
  of(providerId: string): ProviderFacts
}

export const providerFacts = defineService<ProviderFactsReader>('providers.facts')
