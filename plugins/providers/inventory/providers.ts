import { type Clock, type Database, type Log, singleFlight } from '#kernel'
import type { Chain, EgressOptions } from '#plugins/wallet'
import { openProviderClient, type ProviderClient } from '../client/provider-client.ts'
import { pieceBytesMax as largestPiece } from '../client/provider-limits.ts'
import { createProviderTurns, type LaneSlots } from '../client/provider-turns.ts'
import { measured } from '../client/wrapped-client.ts'
import type { ProviderFactsReader } from '../contract/provider-facts.ts'
import type { AvailableProvider, Inventory, Providers, StoredProvider } from '../contract/providers.ts'
import { judgeFreshness } from './freshness-policy.ts'
import { findLastRead, listStored, storedNames } from './inventory-store.ts'
import { refreshInventory, refreshLimits } from './refresh-inventory.ts'

/** New data sets are placed by a read that is at most this old: five minutes on the public networks. */
const placementEpochs = 10
/** A read is shown as fresh for two intervals of the schedule. */
const shownFreshMs = 10 * 60_000

interface ProvidersDeps {
  readonly database: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly egress: EgressOptions
  readonly slots: LaneSlots
  readonly facts: ProviderFactsReader
  /** Overrides for tests. */
  readonly limits?: Partial<typeof refreshLimits>
}

export async function createProviders(deps: ProvidersDeps): Promise<Providers> {
  const { database, chain, clock, log, slots } = deps
  const { chainId, epochSeconds } = chain.network
  const epochMs = epochSeconds * 1000
  const clients = createClients(deps)
  const turns = createProviderTurns({ clock, epochMs, slots, client: clients.of })
  let names = await storedNames(database.read)
  // The stored providers belong to no run: a refresh that a task began serves all that wait for it.
  const refresh = singleFlight(async () => {
    await refreshInventory({ database, chain, clock, log, client: clients.of, limits: { ...refreshLimits, ...deps.limits } })
    names = await storedNames(database.read)
  })

  async function read(freshMs: number): Promise<Inventory> {
    const last = await findLastRead(database.read)
    const freshness = judgeFreshness(last, { chainId, nowMs: clock.now(), freshMs })
    const { readAtMs = null, failedAtMs = null, failure = null } = last?.chainId === chainId ? last : {}
    return { freshness, readAtMs, failedAtMs, failure, providers: freshness === 'unknown' ? [] : await listStored(database.read) }
  }

  return {
    client: clients.of,
    nameOf: (providerId) => names.get(providerId),
    turns,
    refresh,
    inventory: () => read(Math.max(shownFreshMs, placementEpochs * epochMs)),
    async listAvailable() {
      let inventory = await read(placementEpochs * epochMs)
      if (inventory.freshness !== 'fresh') {
        await refresh()
        inventory = await read(placementEpochs * epochMs)
      }
      const { providers, readAtMs } = inventory
      // A provider may answer pings and nothing else.
      return providers
        .flatMap((provider) => toAvailable(provider, readAtMs ?? 0) ?? [])
        .filter(({ serviceUrl }) => !turns.isUnresponsive(serviceUrl))
        .map(withFacts(deps))
    },
    [Symbol.asyncDispose]: async () => clients.close(),
  }
}

/** One client per service URL, which keeps idle connections. */
function createClients({ egress, log }: Pick<ProvidersDeps, 'egress' | 'log'>) {
  const opened = new Map<string, ProviderClient>()
  return {
    of(serviceUrl: string): ProviderClient {
      const known = opened.get(serviceUrl) ?? measured(openProviderClient(serviceUrl, egress), log)
      opened.set(serviceUrl, known)
      return known
    },
    close() {
      for (const client of opened.values()) client.close()
    },
  }
}

const withFacts =
  ({ facts, log }: Pick<ProvidersDeps, 'facts' | 'log'>) =>
  (provider: AvailableProvider): AvailableProvider => {
    const { providerId } = provider
    const { blocked, preference = 0 } = facts.of(providerId)
    if (blocked !== undefined) log.debug('a plugin blocks a provider', { providerId, reason: blocked })
    return { ...provider, isBlocked: blocked !== undefined, preference }
  }

/** Returns undefined for a provider that cannot get data sets, or did not answer the ping of this read. */
function toAvailable(provider: StoredProvider, readAtMs: number): AvailableProvider | undefined {
  const { providerId, address, payee, name, serviceUrl, isEndorsed, isActive, isApproved, problem } = provider
  const { pieceBytesMax, pingedAtMs, pingMs } = provider
  if (!isActive || !isApproved || problem !== null || serviceUrl === null) return undefined
  if (pingMs === null || (pingedAtMs ?? 0) < readAtMs) return undefined
  // A registered maximum can be any number: cap it at our largest piece.
  return {
    providerId,
    address,
    payee,
    name,
    serviceUrl,
    isEndorsed,
    latencyMs: pingMs,
    pieceBytesMax: Math.min(pieceBytesMax ?? 0, largestPiece),
  }
}
