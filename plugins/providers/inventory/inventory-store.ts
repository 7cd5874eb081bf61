import { sql } from 'kysely'
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

const listRows = statement((db) =>
  db.selectFrom('provider_inventory').selectAll().orderBy(sql`length(provider_id)`).orderBy('provider_id').limit(providersMax),
)

const remove = statement((db, { providerId }: Params<{ providerId: string }>) =>
  db.deleteFrom('provider_inventory').where('provider_id', '=', providerId),
)

type FlagAsNumber<T> = T extends boolean ? number : T
type RowParams = { [K in keyof StoredProvider]: FlagAsNumber<StoredProvider[K]> }

const put = statement((db, row: Params<RowParams>) => {
  const facts = {
    name: row.name,
    description: row.description,
    address: row.address,
    payee: row.payee,
    is_active: row.isActive,
    has_pdp: row.hasPdp,
    is_approved: row.isApproved,
    is_endorsed: row.isEndorsed,
    service_url: row.serviceUrl,
    piece_bytes_max: row.pieceBytesMax,
    location: row.location,
    capabilities: row.capabilities,
    problem: row.problem,
    pinged_at: row.pingedAtMs,
    ping_ms: row.pingMs,
    ping_failure: row.pingFailure,
  }
  return db
    .insertInto('provider_inventory')
    .values({ provider_id: row.providerId, ...facts })
    .onConflict((conflict) => conflict.column('provider_id').doUpdateSet(facts))
})

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
    description: row.description,
    isActive: row.is_active === 1,
    hasPdp: row.has_pdp === null ? null : row.has_pdp === 1,
    isApproved: row.is_approved === 1,
    isEndorsed: row.is_endorsed === 1,
    serviceUrl: row.service_url,
    pieceBytesMax: row.piece_bytes_max,
    location: row.location,
    capabilities: row.capabilities,
    problem: row.problem,
    pingedAtMs: row.pinged_at,
    pingMs: row.ping_ms,
    pingFailure: row.ping_failure,
  }))
}

/** Adds or changes the rows of these providers. */
export async function putStored(tx: Tx, providers: readonly StoredProvider[]): Promise<void> {
  for (const { isActive, isApproved, isEndorsed, hasPdp, ...rest } of providers) {
    const flags = { isActive: Number(isActive), isApproved: Number(isApproved), isEndorsed: Number(isEndorsed) }
    await tx.run(put, { ...rest, ...flags, hasPdp: hasPdp === null ? null : Number(hasPdp) })
  }
}

export async function removeStored(tx: Tx, providerIds: readonly string[]): Promise<void> {
  for (const providerId of providerIds) await tx.run(remove, { providerId })
}
