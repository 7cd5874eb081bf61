import { type Clock, type Database, type Log, within } from '#kernel'
import type { Chain } from '#plugins/wallet'
import { type RegisteredProvider, readApprovedIds, readEndorsedIds, readRegistry } from '../chain/provider-registry.ts'
import { pingAll } from '../client/ping-provider.ts'
import type { ProviderClient } from '../client/provider-client.ts'
import type { StoredProvider } from '../contract/providers.ts'
import { findLastRead, listStored, recordRead, replaceStored } from './inventory-store.ts'

/** Time limits of a refresh in milliseconds: the chain reads, then the pings; the last pings may end slightly later. */
export const refreshLimits = { registry: 90_000, pings: 60_000 }

/** Characters of a provider's text that are stored. */
const textCharactersMax = 500

/** Has the error code of an unreachable chain node, so that tasks wait. */
class InventoryLate extends Error {
  override readonly name = 'InventoryLate'
  readonly code = 'chain_unreachable'
}

interface RefreshDeps {
  readonly database: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
  readonly limits: typeof refreshLimits
  client(serviceUrl: string): ProviderClient
}

/**
 * Reads the registry and pings the providers that could get data sets. A failed read is recorded, keeps the stored providers, and rejects
 * with the chain client's error.
 */
export async function refreshInventory(deps: RefreshDeps): Promise<void> {
  const { database, chain, clock } = deps
  const { chainId } = chain.network
  const readAtMs = clock.now()
  const registered = await readProviders(deps).catch(async (error: Error) => {
    const last = await findLastRead(database.read)
    const failed = {
      chainId,
      readAtMs: last?.chainId === chainId ? last.readAtMs : null,
      failedAtMs: readAtMs,
      failure: textOf(error.message),
    }
    await database.write((tx) => recordRead(tx, failed))
    throw error
  })
  const providers = await pingProviders(deps, registered, readAtMs)
  await database.write(async (tx) => {
    await replaceStored(tx, providers)
    await recordRead(tx, { chainId, readAtMs, failedAtMs: null, failure: null })
  })
}

async function readProviders({ chain, log, limits }: RefreshDeps): Promise<readonly StoredProvider[]> {
  const lists = Promise.all([readRegistry(chain), readApprovedIds(chain), readEndorsedIds(chain)])
  const [registered, approved, endorsed] = await within(limits.registry, lists, () => {
    throw new InventoryLate(`the provider registry was not read within ${limits.registry} ms`)
  })
  for (const { providerId, problem, isActive, hasPdp } of registered)
    if (isActive && hasPdp && problem !== undefined) log.warn('a registered provider is skipped', { providerId, reason: problem })
  return registered.map((provider) => toStored(provider, approved.has(provider.providerId), endorsed.has(provider.providerId)))
}

async function pingProviders(
  { database, log, limits, client }: RefreshDeps,
  registered: readonly StoredProvider[],
  pingedAtMs: number,
): Promise<readonly StoredProvider[]> {
  const usable = registered.filter(({ isActive, isApproved, problem }) => isActive && isApproved && problem === null)
  const answers = await pingAll(usable, ({ serviceUrl }) => client(serviceUrl ?? '').ping(), limits.pings)
  if (answers.size < usable.length)
    log.warn('some providers are skipped: the pings took too long', { pinged: answers.size, providers: usable.length })
  const before = new Map((await listStored(database.read)).map((provider) => [provider.providerId, provider]))
  return registered.map((provider) => {
    const answer = answers.get(provider)
    if (answer?.kind === 'ok') return { ...provider, pingedAtMs, pingMs: answer.value.elapsedMs, pingFailure: null }
    if (answer) {
      log.debug('a provider does not answer', { providerId: provider.providerId, cause: answer.cause })
      return { ...provider, pingedAtMs, pingMs: null, pingFailure: answer.cause.reason }
    }
    const { pingedAtMs: at = null, pingMs = null, pingFailure = null } = before.get(provider.providerId) ?? {}
    return { ...provider, pingedAtMs: at, pingMs, pingFailure }
  })
}

function toStored(provider: RegisteredProvider, isApproved: boolean, isEndorsed: boolean): StoredProvider {
  const { providerId, name, address, payee, isActive, serviceUrl, pieceBytesMax, location, problem } = provider
  return {
    providerId,
    name: textOf(name),
    address,
    payee,
    isActive,
    isApproved,
    isEndorsed,
    // The registry reader has checked the URL of a provider without a problem.
    serviceUrl: problem === undefined ? (serviceUrl ?? null) : null,
    pieceBytesMax: pieceBytesMax === undefined ? null : Number(pieceBytesMax < numberMax ? pieceBytesMax : numberMax),
    location: location === undefined ? null : textOf(location),
    problem: problem ?? null,
    pingedAtMs: null,
    pingMs: null,
    pingFailure: null,
  }
}

const numberMax = BigInt(Number.MAX_SAFE_INTEGER)

/** PostgreSQL stores no NUL. */
const textOf = (text: string): string => text.replaceAll('\0', '').slice(0, textCharactersMax)
