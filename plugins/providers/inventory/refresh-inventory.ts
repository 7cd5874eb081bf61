import { type Clock, type Database, type Log, within } from '#kernel'
import type { Chain } from '#plugins/wallet'
import { type RegisteredProvider, readApprovedIds, readEndorsedIds, readRegistry } from '../chain/provider-registry.ts'
import { pingAll } from '../client/ping-provider.ts'
import type { ProviderClient } from '../client/provider-client.ts'
import type { StoredProvider } from '../contract/providers.ts'
import { findLastRead, listStored, putStored, recordRead, removeStored } from './inventory-store.ts'

/** Time limits of a refresh in milliseconds: the chain reads, then the pings; the last pings may end slightly later. */
export const refreshLimits = { registry: 90_000, pings: 60_000 }

/** Characters of a provider's text that are stored. */
const textCharactersMax = 500
/** Rows of one transaction: more would block other writers for long. */
const rowsPerWrite = 250

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
  readonly pingsAtOnce: number
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
  const before = await listStored(database.read)
  await store(deps, before, await pingProviders(deps, registered, { before, pingedAtMs: readAtMs }))
  await database.write((tx) => recordRead(tx, { chainId, readAtMs, failedAtMs: null, failure: null }))
}

/** Pings the stored providers, while the chain does not answer. */
export async function pingStored(deps: RefreshDeps): Promise<void> {
  const { database, clock, chain } = deps
  const last = await findLastRead(database.read)
  if (last?.chainId !== chain.network.chainId) return
  const before = await listStored(database.read)
  await store(deps, before, await pingProviders(deps, before, { before, pingedAtMs: clock.now() }))
  // Other processes read the list again.
  await database.write((tx) => recordRead(tx, { ...last, failedAtMs: clock.now() }))
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
  { log, limits, pingsAtOnce, client }: RefreshDeps,
  registered: readonly StoredProvider[],
  { before, pingedAtMs }: { readonly before: readonly StoredProvider[]; readonly pingedAtMs: number },
): Promise<readonly StoredProvider[]> {
  const earlier = new Map(before.map((provider) => [provider.providerId, provider]))
  const lastPingMs = ({ providerId }: StoredProvider) => earlier.get(providerId)?.pingedAtMs ?? 0
  // The longest unchecked first: when time runs out, the others are first in the next round.
  const usable = registered
    .filter(({ isActive, isApproved, problem }) => isActive && isApproved && problem === null)
    .toSorted((a, b) => lastPingMs(a) - lastPingMs(b))
  const answers = await pingAll(usable, ({ serviceUrl }) => client(serviceUrl ?? '').ping(), { limitMs: limits.pings, atOnce: pingsAtOnce })
  if (answers.size < usable.length)
    log.warn('some providers are skipped: the pings took too long', { pinged: answers.size, providers: usable.length })
  return registered.map((provider) => {
    const answer = answers.get(provider)
    if (answer?.kind === 'ok') return { ...provider, pingedAtMs, pingMs: answer.value.elapsedMs, pingFailure: null }
    if (answer) {
      log.debug('a provider does not answer', { providerId: provider.providerId, cause: answer.cause })
      return { ...provider, pingedAtMs, pingMs: null, pingFailure: answer.cause.reason }
    }
    const { pingedAtMs: at = null, pingMs = null, pingFailure = null } = earlier.get(provider.providerId) ?? {}
    return { ...provider, pingedAtMs: at, pingMs, pingFailure }
  })
}

/** Makes these the stored providers. Unchanged rows are not written. */
async function store({ database }: RefreshDeps, before: readonly StoredProvider[], providers: readonly StoredProvider[]): Promise<void> {
  const known = new Map(before.map((provider) => [provider.providerId, provider]))
  const changed = providers.filter((provider) => !isSame(known.get(provider.providerId), provider))
  for (let at = 0; at < changed.length; at += rowsPerWrite) {
    const rows = changed.slice(at, at + rowsPerWrite)
    await database.write((tx) => putStored(tx, rows), { rows: rows.length })
  }
  for (const { providerId } of providers) known.delete(providerId)
  if (known.size > 0) await database.write((tx) => removeStored(tx, [...known.keys()]), { rows: known.size })
}

const isSame = (a: StoredProvider | undefined, b: StoredProvider): boolean =>
  a !== undefined && (Object.keys(b) as (keyof StoredProvider)[]).every((member) => a[member] === b[member])

function toStored(provider: RegisteredProvider, isApproved: boolean, isEndorsed: boolean): StoredProvider {
  const { providerId, name, description, address, payee, isActive, hasPdp, serviceUrl, pieceBytesMax, location, problem } = provider
  const capabilities = Object.entries(provider.extraCapabilities).map(([key, text]) => [textOf(key), textOf(text)] as const)
  return {
    providerId,
    name: textOf(name),
    description: description === '' ? null : textOf(description),
    address,
    payee,
    isActive,
    hasPdp,
    isApproved,
    isEndorsed,
    // The registry reader has checked the URL of a provider without a problem.
    serviceUrl: problem === undefined ? (serviceUrl ?? null) : null,
    pieceBytesMax: pieceBytesMax === undefined ? null : Number(pieceBytesMax < numberMax ? pieceBytesMax : numberMax),
    location: location === undefined ? null : textOf(location),
    capabilities: capabilities.length === 0 ? null : JSON.stringify(Object.fromEntries(capabilities)),
    problem: problem ?? null,
    pingedAtMs: null,
    pingMs: null,
    pingFailure: null,
  }
}

const numberMax = BigInt(Number.MAX_SAFE_INTEGER)

/** PostgreSQL stores no NUL. */
const textOf = (text: string): string => text.replaceAll('\0', '').slice(0, textCharactersMax)
