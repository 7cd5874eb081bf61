import { type Clock, type Log, within } from '#kernel'
import type { Chain, EgressOptions } from '#plugins/wallet'
import { type RegisteredProvider, readApprovedIds, readEndorsedIds, readRegistry } from '../chain/provider-registry.ts'
import { pingAll } from '../client/ping-provider.ts'
import { openProviderClient, type ProviderClient } from '../client/provider-client.ts'
import { pieceBytesMax } from '../client/provider-limits.ts'
import { createProviderTurns, type LaneSlots } from '../client/provider-turns.ts'
import type { AvailableProvider, ProviderFactsReader, Providers } from '../contract.ts'

/** Time limits of an inventory in milliseconds: the chain reads, then the pings; the last pings may end slightly later. */
const inventoryLimits = { registry: 90_000, pings: 60_000 }

/** Has the error code of an unreachable chain node, so that tasks wait. */
class InventoryLate extends Error {
  override readonly name = 'InventoryLate'
  readonly code = 'chain_unreachable'
}

/** An inventory is fresh for this many epochs: five minutes on the public networks. */
const inventoryEpochs = 10

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
    const lists = Promise.all([readRegistry(chain), readApprovedIds(chain), readEndorsedIds(chain)])
    const [registered, approved, endorsed] = await within(limits.registry, lists, () => {
      throw new InventoryLate(`the provider registry was not read within ${limits.registry} ms`)
    })
    for (const { providerId, name } of registered) names.set(providerId, name)
    const active = registered.filter(({ isActive, hasPdp }) => isActive && hasPdp)
    for (const { providerId, problem } of active) if (problem) log.warn('a registered provider is skipped', { providerId, reason: problem })
    const eligible = active.filter(({ providerId, problem }) => problem === undefined && approved.has(providerId))
    const answers = await pingAll(eligible, ({ serviceUrl = '' }) => client(serviceUrl).ping(), limits.pings)
    if (answers.size < eligible.length)
      log.warn('some providers are skipped: the pings took too long', { pinged: answers.size, providers: eligible.length })
    return eligible.flatMap((provider) => {
      const answer = answers.get(provider)
      if (answer?.kind === 'ok') return [toAvailable(provider, endorsed.has(provider.providerId), answer.value.elapsedMs)]
      if (answer) log.debug('a provider does not answer', { providerId: provider.providerId, cause: answer.cause })
      return []
    })
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

const toAvailable = (provider: RegisteredProvider, isEndorsed: boolean, latencyMs: number): AvailableProvider => {
  const { providerId, address, payee, name, serviceUrl = '', pieceBytesMax: registeredMax = 0n } = provider
  // A registered maximum can be any number: cap it at our largest piece.
  const usableMax = registeredMax < BigInt(pieceBytesMax) ? Number(registeredMax) : pieceBytesMax
  return { providerId, address, payee, name, serviceUrl, isEndorsed, latencyMs, pieceBytesMax: usableMax }
}
