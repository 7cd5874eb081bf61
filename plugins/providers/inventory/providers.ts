import { type Clock, type Log, within } from '#kernel'
import type { Chain, EgressOptions } from '#plugins/wallet'
import { openProviderClient, type ProviderClient } from '../client/provider-client.ts'
import { pieceBytesMax } from '../client/provider-limits.ts'
import { approvedProviderIds, endorsedProviderIds, listProviders, type RegisteredProvider } from '../chain/provider-registry.ts'
import type { ProviderFactsReader } from '../../replication/contract.ts'
import { createProviderTurns, type LaneSlots, type ProviderTurns } from '../client/provider-turns.ts'
import type { ProviderChoice } from './select-provider-policy.ts'

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

/** Time limits of an inventory in milliseconds: the chain reads, then the pings; the last pings may end slightly later. */
const inventoryLimits = { registry: 90_000, pings: 60_000 }

/** Has the error code of an unreachable chain node, so that tasks wait. */
class InventoryLate extends Error {
  override readonly name = 'InventoryLate'
  readonly code = 'chain_unreachable'
}

/** An inventory is fresh for this many epochs: five minutes on the public networks. */
const inventoryEpochs = 10
const pingConcurrency = 10

export function createProviders(deps: {
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly egress: EgressOptions
  readonly slots: LaneSlots
  readonly facts: ProviderFactsReader
  /** Overrides for tests. */
  readonly limits?: Partial<typeof inventoryLimits>
}): Providers {
  const { chain, clock, log, egress, slots } = deps
  const limits = { ...inventoryLimits, ...deps.limits }
  const epochMs = chain.network.epochSeconds * 1000
  const turns = createProviderTurns({ clock, epochMs, slots })
  const clients = new Map<string, ProviderClient>()
  const names = new Map<string, string>()
  let inventory: { readonly providers: Promise<readonly AvailableProvider[]>; readonly readAtMs: number } | undefined

  function client(serviceUrl: string): ProviderClient {
    let known = clients.get(serviceUrl)
    if (!known) {
      known = openProviderClient(serviceUrl, egress)
      clients.set(serviceUrl, known)
    }
    return known
  }

  async function read(): Promise<readonly AvailableProvider[]> {
    const lists = Promise.all([listProviders(chain), approvedProviderIds(chain), endorsedProviderIds(chain)])
    const [{ providers, skipped }, approved, endorsed] = await within(limits.registry, lists, () => {
      throw new InventoryLate(`the provider registry was not read within ${limits.registry} ms`)
    })
    for (const { providerId, name } of [...providers, ...skipped]) names.set(String(providerId), name)
    for (const { providerId, reason } of skipped) log.warn('a registered provider is skipped', { providerId: String(providerId), reason })
    const eligible = providers.filter((provider) => approved.has(provider.providerId) && provider.isActive)
    const available: AvailableProvider[] = []
    const startedAtMs = performance.now()
    for (let at = 0; at < eligible.length; at += pingConcurrency) {
      const answers = await Promise.all(eligible.slice(at, at + pingConcurrency).map((provider) => ping(provider, endorsed)))
      available.push(...answers.flatMap((answer) => answer ?? []))
      const pinged = at + answers.length
      if (pinged < eligible.length && performance.now() - startedAtMs > limits.pings) {
        log.warn('some providers are skipped: the pings took too long', { pinged, providers: eligible.length })
        break
      }
    }
    return available
  }

  async function ping(provider: RegisteredProvider, endorsed: ReadonlySet<bigint>): Promise<AvailableProvider | undefined> {
    const answer = await client(provider.serviceUrl).ping()
    if (answer.kind !== 'ok') {
      log.debug('a provider does not answer', { providerId: String(provider.providerId), cause: answer.cause })
      return undefined
    }
    return {
      providerId: provider.providerId.toString(),
      address: provider.serviceProvider,
      payee: provider.payee,
      serviceUrl: provider.serviceUrl,
      name: provider.name,
      isEndorsed: endorsed.has(provider.providerId),
      latencyMs: answer.value.elapsedMs,
      pieceBytesMax: usableMax(provider),
    }
  }

  return {
    client,
    nameOf: (providerId) => names.get(providerId),
    turns,
    forget() {
      inventory = undefined
    },
    async listAvailable() {
      const now = clock.now()
      if (!inventory || Math.abs(now - inventory.readAtMs) > inventoryEpochs * epochMs) {
        const providers = read()
        inventory = { providers, readAtMs: now }
        // Do not cache a failed read.
        providers.catch(() => {
          inventory = undefined
        })
      }
      // A provider may answer pings and nothing else.
      return (await inventory.providers).filter(({ serviceUrl }) => !turns.isUnresponsive(serviceUrl)).map(withFacts(deps))
    },
    async [Symbol.asyncDispose]() {
      for (const open of clients.values()) open.close()
    },
  }
}

const withFacts =
  ({ facts, log }: { readonly facts: ProviderFactsReader; readonly log: Log }) =>
  (provider: AvailableProvider): AvailableProvider => {
    const { providerId } = provider
    const { blocked, preference = 0 } = facts.of(providerId)
    if (blocked !== undefined) log.debug('a plugin blocks a provider', { providerId, reason: blocked })
    return { ...provider, isBlocked: blocked !== undefined, preference }
  }

/** A registered maximum can be any number: cap it at our largest piece. */
const usableMax = (provider: RegisteredProvider): number =>
  provider.pieceBytesMax < BigInt(pieceBytesMax) ? Number(provider.pieceBytesMax) : pieceBytesMax
