import { type QueryCreator, sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import type { PlannedDataSet } from '../states/data-set-state-store.ts'
import type { States } from '../states/states.ts'
import { type DataSetState, endedStates } from '../states/tables/data-set-transitions-policy.ts'
import { type ReplicationTables, statement } from '../tables.ts'

/** A generation of a replica slot. */
export interface DataSet {
  readonly id: number
  readonly bucketId: number
  readonly slot: number
  readonly generation: number
  readonly providerId: string
  readonly providerAddress: `0x${string}`
  readonly payee: `0x${string}`
  readonly serviceUrl: string
  readonly clientDataSetId: bigint
  /** Id on chain once created. */
  readonly chainId: bigint | null
  readonly state: DataSetState
  readonly createExtraData: `0x${string}` | null
  readonly createTx: `0x${string}` | null
  readonly createStartedAtMs: number | null
  /** Nonce of the provider's sender after its handling time for the attempt. */
  readonly createSenderNonce: number | null
  /** Since when the provider may have the signed creation, although it refused it. */
  readonly createOfferedAtMs: number | null
  /** Since when the chain reports the data set as ended. After its end is recorded: set until its contents are recounted. */
  readonly goneSeenAtMs: number | null
  readonly lastError: string | null
  /** No request to the data set before this time. */
  readonly writesPausedUntilMs: number | null
  /** Largest piece that the provider takes, as last read from the registry. */
  readonly pieceBytesMax: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** Numbers of the chain are decimal text in the database. */
interface DataSetRow extends Omit<DataSet, 'clientDataSetId' | 'chainId'> {
  readonly clientDataSetId: string
  readonly chainId: string | null
}

const columns = [
  'id',
  'bucket_id as bucketId',
  'slot',
  'generation',
  'provider_id as providerId',
  'provider_address as providerAddress',
  'payee',
  'service_url as serviceUrl',
  'client_data_set_id as clientDataSetId',
  'chain_id as chainId',
  'state',
  'create_extra_data as createExtraData',
  'create_tx as createTx',
  'create_started_at as createStartedAtMs',
  'create_sender_nonce as createSenderNonce',
  'create_offered_at as createOfferedAtMs',
  'gone_seen_at as goneSeenAtMs',
  'last_error as lastError',
  'writes_paused_until as writesPausedUntilMs',
  'piece_bytes_max as pieceBytesMax',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
] as const

const dataSets = (db: QueryCreator<ReplicationTables>) =>
  db.selectFrom('data_sets').select(columns).$narrowType<Pick<DataSetRow, 'providerAddress' | 'payee' | 'createExtraData' | 'createTx'>>()

const find = statement((db, { id }: Params<{ id: number }>) => dataSets(db).where('id', '=', id))

const findByClientId = statement((db, { clientDataSetId }: Params<{ clientDataSetId: string }>) =>
  db.selectFrom('data_sets').select('id').where('client_data_set_id', '=', clientDataSetId),
)

const findSome = statement((db, { ids }: Params<{ ids: readonly number[] }>) => dataSets(db).where('id', 'in', ids))

const findCurrent = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  dataSets(db)
    .where('id', 'in', db.selectFrom('replica_slots').select('current_data_set_id').where('bucket_id', '=', bucketId))
    .orderBy('slot'),
)

const findAll = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  dataSets(db).where('bucket_id', '=', bucketId).orderBy('slot').orderBy('generation'),
)

const lockBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('buckets').select('id').where('id', '=', bucketId).where('deleted_at', 'is', null).forUpdate(),
)

const findSlot = statement((db, { bucketId, slot }: Params<{ bucketId: number; slot: number }>) =>
  db.selectFrom('replica_slots').select('slot').where('bucket_id', '=', bucketId).where('slot', '=', slot).forUpdate(),
)

const findLive = statement((db, { bucketId, providerId }: Params<{ bucketId: number; providerId: string }>) =>
  db
    .selectFrom('data_sets')
    .select('id')
    .where('bucket_id', '=', bucketId)
    .where('provider_id', '=', providerId)
    .where('state', 'not in', endedStates)
    .forUpdate(),
)

const addSlot = statement((db, { bucketId, slot, id }: Params<{ bucketId: number; slot: number; id: number }>) =>
  db.insertInto('replica_slots').values({ bucket_id: bucketId, slot, current_data_set_id: id }),
)

type Maximum = Pick<PlannedDataSet, 'bucketId' | 'providerId' | 'pieceBytesMax'>

const updateMaximum = statement((db, { bucketId, providerId, pieceBytesMax }: Params<Maximum>) =>
  db
    .updateTable('data_sets')
    .set({ piece_bytes_max: pieceBytesMax })
    .where('bucket_id', '=', bucketId)
    .where('provider_id', '=', providerId)
    .where('piece_bytes_max', '<>', pieceBytesMax),
)

type Change<P = Record<never, never>> = Params<P & { id: number; nowMs: number }>

const recordGone = statement((db, { id, nowMs }: Change) =>
  db
    .updateTable('data_sets')
    .set({ gone_seen_at: sql`coalesce(gone_seen_at, ${nowMs})` })
    .where('id', '=', id)
    .returning('gone_seen_at as at'),
)

const seeLive = statement((db, { id }: Params<{ id: number }>) =>
  db.updateTable('data_sets').set({ gone_seen_at: null }).where('id', '=', id),
)

export async function findDataSet(reader: Reader, id: number): Promise<DataSet | undefined> {
  const row = await reader.get(find, { id })
  return row && toDataSet(row)
}

/** Whether a data set was recorded with this nonce of its creation. */
export const knowsClientId = async (reader: Reader, clientDataSetId: bigint): Promise<boolean> =>
  (await reader.get(findByClientId, { clientDataSetId: clientDataSetId.toString() })) !== undefined

/** The data sets by id. */
export async function findDataSets(reader: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, DataSet>> {
  return new Map((await reader.all(findSome, { ids })).map((row) => [row.id, toDataSet(row)]))
}

/** The current generation of each slot, in slot order; slots without one are absent. */
export async function currentDataSets(reader: Reader, bucketId: number): Promise<readonly DataSet[]> {
  return (await reader.all(findCurrent, { bucketId })).map(toDataSet)
}

export async function allDataSets(reader: Reader, bucketId: number): Promise<readonly DataSet[]> {
  return (await reader.all(findAll, { bucketId })).map(toDataSet)
}

/** Inserts the slot's next generation and makes it current. Undefined when the slot or the provider is already in use, because a slot must not pay for two, and when the bucket was deleted. */
export async function planDataSet(
  { dataSets }: { readonly dataSets: Pick<States['dataSets'], 'plan'> },
  tx: Tx,
  plan: PlannedDataSet,
): Promise<number | undefined> {
  const { bucketId, slot, providerId } = plan
  if (!(await lockBucketOf(tx, bucketId))) return undefined
  if (await tx.get(findSlot, { bucketId, slot })) return undefined
  if (await hasDataSetAt(tx, { bucketId, providerId })) return undefined
  const id = await dataSets.plan(tx, plan)
  await tx.run(addSlot, { bucketId, slot, id })
  return id
}

/** False when the bucket was deleted. Else it is not before the commit, and no other transaction plans a data set of it. */
export const lockBucketOf = async (tx: Tx, bucketId: number): Promise<boolean> => (await tx.get(lockBucket, { bucketId })) !== undefined

/** Whether the bucket has a live data set at the provider. */
export async function hasDataSetAt(tx: Tx, place: { readonly bucketId: number; readonly providerId: string }): Promise<boolean> {
  return (await tx.get(findLive, place)) !== undefined
}

/** Updates the registered maximum: a raised one lets the bucket's existing data sets take larger pieces. */
export async function setPieceBytesMax(
  tx: Tx,
  bucketId: number,
  { providerId, pieceBytesMax }: { readonly providerId: string; readonly pieceBytesMax: number },
): Promise<void> {
  await tx.run(updateMaximum, { bucketId, providerId, pieceBytesMax })
}

/** Records since when the chain reports the data set as ended; null clears it. Returns the recorded time. */
export async function recordGoneSeen(tx: Tx, id: number, nowMs: number | null): Promise<number> {
  if (nowMs !== null) return (await tx.get(recordGone, { id, nowMs }))?.at ?? nowMs
  await tx.run(seeLive, { id })
  return 0
}

const toDataSet = (row: DataSetRow): DataSet => ({
  ...row,
  clientDataSetId: BigInt(row.clientDataSetId),
  chainId: row.chainId === null ? null : BigInt(row.chainId),
})
