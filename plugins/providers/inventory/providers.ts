import { type Clock, type Database, type Log, type SettingValues, singleFlight } from '#kernel'
import type { Chain, EgressOptions } from '#plugins/wallet'
import { openProviderClient, type ProviderClient } from '../client/provider-client.ts'
import { pieceBytesMax as largestPiece } from '../client/provider-limits.ts'
import { createProviderTurns, type LaneSlots } from '../client/provider-turns.ts'
import type { ProviderFactsReader } from '../contract/provider-facts.ts'
import type { AvailableProvider, Inventory, Providers, StoredProvider } from '../contract/providers.ts'
import type { observabilitySection } from '../contract/settings.ts'
import { measured, type RecordCall } from '../scores/measured-client.ts'
import { openScores, type Scores } from '../scores/scores.ts'
import { judgeFreshness } from './freshness-policy.ts'
import { findLastRead } from './inventory-store.ts'
import { pingStored, refreshInventory, refreshLimits } from './refresh-inventory.ts'
import { createStoredList } from './stored-list.ts'

/** New data sets are placed by a read that is at most this old: five minutes on the public networks. */
const placementEpochs = 10
/** A read is shown as fresh for this many intervals of the refresh. */
const shownFreshIntervals = 2

interface ProvidersDeps {
  readonly database: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly egress: EgressOptions
  readonly slots: LaneSlots
  readonly facts: ProviderFactsReader
  readonly checks: SettingValues<(typeof observabilitySection)['keys']>
  /** Overrides for tests. */
  readonly limits?: Partial<typeof refreshLimits>
}

export async function createProviders(deps: ProvidersDeps): Promise<Providers> {
  const { database, chain, clock, log, slots, checks } = deps
  const { chainId, epochSeconds } = chain.network
  const epochMs = epochSeconds * 1000
  const stored = createStoredList(database)
  const scores = await openScores({ database, clock, log }, await stored.list())
  const clients = createClients(deps, scores)
  const turns = createProviderTurns({ clock, epochMs, slots, client: clients.of })
  let names = namesOf(await stored.list())
  const limits = { ...refreshLimits, ...deps.limits }
  const refreshDeps = { database, chain, clock, log, client: clients.of, limits, pingsAtOnce: checks.concurrency }
  const takeStored = async () => {
    const providers = await stored.list()
    names = namesOf(providers)
    await scores.placeAt(providers)
  }
  // The stored providers belong to no run: a refresh that a task began serves all that wait for it.
  const refresh = singleFlight(async () => {
    await refreshInventory(refreshDeps)
    await takeStored()
  })
  const pingAgain = singleFlight(() => pingStored(refreshDeps))

  async function read(freshMs: number): Promise<Inventory> {
    const last = await findLastRead(database.read)
    const freshness = judgeFreshness(last, { chainId, nowMs: clock.now(), freshMs })
    const { readAtMs = null, failedAtMs = null, failure = null } = last?.chainId === chainId ? last : {}
    return { freshness, readAtMs, failedAtMs, failure, providers: freshness === 'unknown' ? [] : await stored.list(last) }
  }

  return {
    client: clients.of,
    nameOf: (providerId) => names.get(providerId),
    turns,
    report: scores.record,
    scoreOf: scores.of,
    async refresh() {
      try {
        await refresh()
      } catch (error) {
        // Whether providers answer does not depend on the chain.
        await pingAgain()
        stored.forget()
        throw error
      }
    },
    inventory: () => read(Math.max(shownFreshIntervals * checks.interval, placementEpochs * epochMs)),
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
        .map(withFacts(deps, scores))
    },
    async [Symbol.asyncDispose]() {
      clients.close()
      await scores[Symbol.asyncDispose]()
    },
  }
}

/** One client per service URL, which keeps idle connections. */
function createClients({ egress, log, checks }: Pick<ProvidersDeps, 'egress' | 'log' | 'checks'>, scores: Scores) {
  const opened = new Map<string, ProviderClient>()
  const options = { ...egress, timeLimits: { ping: checks.timeout } }
  return {
    of(serviceUrl: string): ProviderClient {
      const record: RecordCall = (call) => scores.record(serviceUrl, call)
      const known = opened.get(serviceUrl) ?? measured(openProviderClient(serviceUrl, options), { log, record })
      opened.set(serviceUrl, known)
      return known
    },
    close() {
      for (const client of opened.values()) client.close()
    },
  }
}

const withFacts =
  ({ facts, log }: Pick<ProvidersDeps, 'facts' | 'log'>, scores: Scores) =>
  (provider: AvailableProvider): AvailableProvider => {
    const { providerId } = provider
    const { blocked, degraded, preference = 0 } = facts.of(providerId)
    const score = scores.of(provider)
    if (blocked !== undefined) log.debug('a plugin blocks a provider', { providerId, reason: blocked })
    return {
      ...provider,
      isBlocked: blocked !== undefined,
      preference,
      degraded: degraded ?? (score?.isFailing ? `${Math.round(score.successShare * 100)} % of recent calls succeeded` : undefined),
      uploadBytesPerSecond: score?.upload?.bytesPerSecond,
    }
  }

const namesOf = (providers: readonly StoredProvider[]): ReadonlyMap<string, string> =>
  new Map(providers.map(({ providerId, name }) => [providerId, name]))

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
