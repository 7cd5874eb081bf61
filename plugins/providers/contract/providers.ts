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
  /** Blocked by a plugin: it gets no new data sets. */
  readonly isBlocked?: boolean
  /** Given by plugins; default 0. */
  readonly preference?: number
  /** Why it is chosen after others: by a plugin, or because recent calls to it failed. */
  readonly degraded?: string | undefined
  /** Counts recent uploads; undefined before the first one that was large enough to measure. */
  readonly uploadBytesPerSecond?: number | undefined
}

/** `other`: all calls that move no bytes of pieces, without pings. */
export type MeasuredKind = 'upload' | 'pull' | 'read' | 'other'

/** Our own measurements of one kind of transfer. */
export interface TransferScore {
  readonly calls: number
  readonly failed: number
  /** Counts recent transfers of at least 256 KiB. */
  readonly bytesPerSecond: number | undefined
  readonly lastAtMs: number
}

/** Our own measurements of a provider. */
export interface ProviderScore {
  /** Counts recent calls; 1 without a failure. */
  readonly successShare: number
  /** Too many recent calls failed. */
  readonly isFailing: boolean
  /** All since `sinceMs`. */
  readonly calls: number
  readonly failed: number
  readonly sinceMs: number
  readonly upload: TransferScore | undefined
  readonly pull: TransferScore | undefined
  readonly read: TransferScore | undefined
  readonly lastFailure: { readonly atMs: number; readonly call: string; readonly reason: string } | undefined
}

/** A result of a provider that only the caller can judge. */
type ReportedCall =
  | { readonly kind: 'pull'; readonly transfer: { readonly bytes: number; readonly ms: number } }
  | { readonly kind: 'pull' | 'read'; readonly failure: { readonly call: string; readonly reason: string } }

/** A registered provider that answered its ping. */
export interface AvailableProvider extends Omit<ProviderChoice, 'load'> {
  readonly address: `0x${string}`
  readonly payee: `0x${string}`
  readonly serviceUrl: string
  readonly name: string
}

/** A registered provider, usable or not, as of the last read. Its texts are its own. */
export interface StoredProvider {
  readonly providerId: string
  readonly name: string
  readonly address: `0x${string}`
  readonly payee: `0x${string}`
  readonly description: string | null
  readonly isActive: boolean
  /** Null: stored by an earlier version, which did not record it. */
  readonly hasPdp: boolean | null
  readonly isApproved: boolean
  readonly isEndorsed: boolean
  /** Null for a provider with a problem. */
  readonly serviceUrl: string | null
  readonly pieceBytesMax: number | null
  readonly location: string | null
  /** Further capabilities that it registered, as JSON: texts by name. */
  readonly capabilities: string | null
  /** Why it cannot get data sets. */
  readonly problem: string | null
  readonly pingedAtMs: number | null
  /** Round trip of the last ping; null when it failed. */
  readonly pingMs: number | null
  readonly pingFailure: string | null
}

export type Freshness = 'fresh' | 'stale' | 'unknown'

export interface Inventory {
  /** `stale`: of an earlier read. `unknown`: this chain was never read; there are no providers. */
  readonly freshness: Freshness
  readonly readAtMs: number | null
  /** The last read that failed, when no later one succeeded. */
  readonly failedAtMs: number | null
  readonly failure: string | null
  readonly providers: readonly StoredProvider[]
}

/** Registered providers, their clients, and permissions to call them. */
export interface Providers extends AsyncDisposable {
  /**
   * Active, approved, PDP-capable and reachable providers, of any piece size, with the present facts of plugins. Reads the chain when the
   * last read is older than a few minutes. Rejects when the chain does not answer or a plugin cannot state its facts.
   */
  listAvailable(): Promise<readonly AvailableProvider[]>
  /** Every registered provider as stored; asks neither the chain nor a provider. */
  inventory(): Promise<Inventory>
  /** Reads the registry and pings the providers. When the chain does not answer, the stored providers are pinged, and it rejects. */
  refresh(): Promise<void>
  /** The client of a service URL. */
  client(serviceUrl: string): ProviderClient
  /** Returns the registered name of a provider; undefined before the registry was read. */
  nameOf(providerId: string): string | undefined
  /** Adds to the measurements of the provider with this URL. The client measures all other calls. */
  report(serviceUrl: string, call: ReportedCall): void
  /** Reads memory only; undefined before the first call. */
  scoreOf(provider: Pick<StoredProvider, 'providerId' | 'serviceUrl'>): ProviderScore | undefined
  /** Take one before calling a provider from a task. */
  readonly turns: ProviderTurns
}

export const providers = defineService<Providers>('providers.providers')

/** Reads of our data sets and pieces on chain. */
export const warmStorageReads = defineService<WarmStorageReads>('providers.warm-storage-reads')
