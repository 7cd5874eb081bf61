import { type Params, type Reader, statementsOver, type TablesOf, type Tx } from '#kernel'
import { providersMax } from '../chain/provider-registry.ts'
import type { StoredProvider } from '../contract/providers.ts'
import type { LastRead } from './freshness-policy.ts'
import type { inventoryEntity } from './inventory-entity.ts'
import type { readEntity } from './read-entity.ts'

const statement = statementsOver<TablesOf<typeof inventoryEntity | typeof readEntity>>()

const findRead = statement((db) =>
  db.selectFrom('provider_reads').select(['chain_id as chainId', 'read_at as readAtMs', 'failed_at as failedAtMs', 'failure']),
)

const removeReads = statement((db) => db.deleteFrom('provider_reads'))

const addRead = statement((db, row: Params<{ [K in keyof LastRead]: LastRead[K] }>) =>
  db.insertInto('provider_reads').values({ chain_id: row.chainId, read_at: row.readAtMs, failed_at: row.failedAtMs, failure: row.failure }),
)

const listRows = statement((db) => db.selectFrom('provider_inventory').selectAll().limit(providersMax))

const listNames = statement((db) => db.selectFrom('provider_inventory').select(['provider_id as providerId', 'name']).limit(providersMax))

const remove = statement((db, { providerId }: Params<{ providerId: string }>) =>
  db.deleteFrom('provider_inventory').where('provider_id', '=', providerId),
)

type RowParams = { [K in keyof StoredProvider]: StoredProvider[K] extends boolean ? number : StoredProvider[K] }

const add = statement((db, row: Params<RowParams>) =>
  db.insertInto('provider_inventory').values({
    provider_id: row.providerId,
    name: row.name,
    address: row.address,
    payee: row.payee,
    is_active: row.isActive,
    is_approved: row.isApproved,
    is_endorsed: row.isEndorsed,
    service_url: row.serviceUrl,
    piece_bytes_max: row.pieceBytesMax,
    location: row.location,
    problem: row.problem,
    pinged_at: row.pingedAtMs,
    ping_ms: row.pingMs,
    ping_failure: row.pingFailure,
  }),
)

/** The last read, of any chain; undefined before the first one. */
export const findLastRead = (reader: Reader): Promise<LastRead | undefined> => reader.get(findRead)

export async function recordRead(tx: Tx, read: LastRead): Promise<void> {
  await tx.run(removeReads)
  await tx.run(addRead, read)
}

export async function listStored(reader: Reader): Promise<readonly StoredProvider[]> {
  return (await reader.all(listRows)).map((row) => ({
    providerId: row.provider_id,
    name: row.name,
    address: row.address,
    payee: row.payee,
    isActive: row.is_active === 1,
    isApproved: row.is_approved === 1,
    isEndorsed: row.is_endorsed === 1,
    serviceUrl: row.service_url,
    pieceBytesMax: row.piece_bytes_max,
    location: row.location,
    problem: row.problem,
    pingedAtMs: row.pinged_at,
    pingMs: row.ping_ms,
    pingFailure: row.ping_failure,
  }))
}

export async function storedNames(reader: Reader): Promise<ReadonlyMap<string, string>> {
  return new Map((await reader.all(listNames)).map(({ providerId, name }) => [providerId, name]))
}

/** Makes these the stored providers; unchanged rows are not written. */
export async function replaceStored(tx: Tx, providers: readonly StoredProvider[]): Promise<void> {
  const gone = new Map((await listStored(tx)).map((provider) => [provider.providerId, JSON.stringify(provider)]))
  const changed = providers.filter((provider) => gone.get(provider.providerId) !== JSON.stringify(provider))
  for (const { providerId } of providers.filter((provider) => !changed.includes(provider))) gone.delete(providerId)
  for (const providerId of gone.keys()) await tx.run(remove, { providerId })
  for (const { isActive, isApproved, isEndorsed, ...provider } of changed)
    await tx.run(add, { ...provider, isActive: Number(isActive), isApproved: Number(isApproved), isEndorsed: Number(isEndorsed) })
}
