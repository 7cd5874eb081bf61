/** The services of this plugin. */
import { defineService } from '#kernel'
import type { WarmStorageReads } from '../chain/warm-storage-reads.ts'
import type { ProviderClient } from '../client/provider-client.ts'
import type { ProviderTurns } from '../client/provider-turns.ts'

/** A provider that could take a new data set. */
export interface ProviderChoice {
  readonly providerId: string
  readonly isEndorsed: boolean
  /** Round trip of its last ping, in milliseconds. */
  readonly latencyMs: number
  /** Number of our data sets that it already serves. */
  readonly load: number
  /** Largest piece it takes, as registered; at most the largest object. */
  readonly pieceBytesMax: number
  /** By a plugin: it gets no new data sets. */
  readonly isBlocked?: boolean
  /** By plugins; default 0. */
  readonly preference?: number
}

/** A registered provider that answered its ping. */
export interface AvailableProvider extends Omit<ProviderChoice, 'load'> {
  readonly address: `0x${string}`
  readonly payee: `0x${string}`
  readonly serviceUrl: string
  readonly name: string
}

/** Available providers, their clients, and permissions to call them. */
export interface Providers extends AsyncDisposable {
  /**
   * Active, approved, PDP-capable and reachable providers, of any piece size; cached for a few minutes, with the present facts of
   * plugins. Rejects when the chain does not answer or a plugin cannot state its facts.
   */
  listAvailable(): Promise<readonly AvailableProvider[]>
  /** Drops the cached inventory. */
  forget(): void
  /** The cached client of a service URL. */
  client(serviceUrl: string): ProviderClient
  /** As the provider registered, by its id; undefined before the registry was read. */
  nameOf(providerId: string): string | undefined
  /** Take one before calling a provider from a task. */
  readonly turns: ProviderTurns
}

export const providers = defineService<Providers>('providers.providers')

/** Reads of our data sets and pieces on chain. */
export const warmStorageReads = defineService<WarmStorageReads>('providers.warm-storage-reads')
