import type { Reader, Tx } from '#kernel'
import { openRows, rowsThatTake } from '#plugins/wallet'
import { creationStates } from '../submissions/row-states-policy.ts'

/**
 * planned: nothing sent · creating: attempt recorded, outcome open · ready: takes and serves pieces · write_blocked, retiring: serves
 * only · retired, abandoned: ended · lost: not live on chain.
 */
export type DataSetState = 'planned' | 'creating' | 'ready' | 'write_blocked' | 'retiring' | 'retired' | 'abandoning' | 'abandoned' | 'lost'

/** Whether pieces may be planned for it: it takes them now or after its creation. */
export const takesPieces = (state: DataSetState): boolean => state === 'planned' || state === 'creating' || state === 'ready'

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
  /** Since when the chain reports the data set as ended. After its end is recorded: set until its contents are recounted. */
  readonly goneSeenAtMs: number | null
  readonly lastError: string | null
  /** Largest piece that the provider takes, as last read from the registry. */
  readonly pieceBytesMax: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

interface DataSetRow {
  readonly id: number
  readonly bucket_id: number
  readonly slot: number
  readonly generation: number
  readonly provider_id: string
  readonly provider_address: string
  readonly payee: string
  readonly service_url: string
  readonly client_data_set_id: string
  readonly chain_id: string | null
  readonly state: DataSetState
  readonly create_extra_data: string | null
  readonly create_tx: string | null
  readonly create_started_at: number | null
  readonly create_sender_nonce: number | null
  readonly gone_seen_at: number | null
  readonly last_error: string | null
  readonly piece_bytes_max: number
  readonly created_at: number
  readonly updated_at: number
}

export interface PlannedDataSet {
  readonly bucketId: number
  readonly slot: number
  readonly providerId: string
  readonly providerAddress: string
  readonly payee: string
  readonly serviceUrl: string
  readonly clientDataSetId: bigint
  readonly pieceBytesMax: number
}

export async function findDataSet(reader: Reader, id: number): Promise<DataSet | undefined> {
  return toDataSet(reader.get<DataSetRow>('select * from data_sets where id = ?', id))
}

/** The current generation of each slot, in slot order; slots without one are absent. */
export async function currentDataSets(reader: Reader, bucketId: number): Promise<readonly DataSet[]> {
  const rows = reader.all<DataSetRow>(
    'select d.* from replica_slots s join data_sets d on d.id = s.current_data_set_id where s.bucket_id = ? order by s.slot',
    bucketId,
  )
  return rows.map((row) => toDataSet(row) as DataSet)
}

export async function allDataSets(reader: Reader, bucketId: number): Promise<readonly DataSet[]> {
  return reader
    .all<DataSetRow>('select * from data_sets where bucket_id = ? order by slot, generation', bucketId)
    .map((row) => toDataSet(row) as DataSet)
}

/** Inserts the slot's next generation and makes it current. Undefined when the slot or the provider is already in use: a slot must not pay for two. */
export async function planDataSet(tx: Tx, plan: PlannedDataSet, nowMs: number): Promise<number | undefined> {
  if (tx.get('select 1 from replica_slots where bucket_id = ? and slot = ?', plan.bucketId, plan.slot)) return undefined
  const live = tx.get(
    "select 1 from data_sets where bucket_id = ? and provider_id = ? and state not in ('retired', 'abandoned')",
    plan.bucketId,
    plan.providerId,
  )
  if (live) return undefined
  const id = await insertDataSet(tx, plan, nowMs)
  tx.run('insert into replica_slots (bucket_id, slot, current_data_set_id) values (?, ?, ?)', plan.bucketId, plan.slot, id)
  return id
}

/** Inserts the generation after the last one of the slot. */
export async function insertDataSet(tx: Tx, plan: PlannedDataSet, nowMs: number): Promise<number> {
  const { lastId } = tx.run(
    `insert into data_sets (bucket_id, slot, generation, provider_id, provider_address, payee, service_url, client_data_set_id, piece_bytes_max, state, created_at, updated_at)
     values (?, ?, (select coalesce(max(generation), 0) + 1 from data_sets where bucket_id = ? and slot = ?), ?, ?, ?, ?, ?, ?, 'planned', ?, ?)`,
    plan.bucketId,
    plan.slot,
    plan.bucketId,
    plan.slot,
    plan.providerId,
    plan.providerAddress,
    plan.payee,
    plan.serviceUrl,
    plan.clientDataSetId.toString(),
    plan.pieceBytesMax,
    nowMs,
    nowMs,
  )
  return lastId
}

/** Updates the registered maximum: a raised one lets the bucket's existing data sets take larger pieces. */
export async function setPieceBytesMax(
  tx: Tx,
  bucketId: number,
  provider: { readonly providerId: string; readonly pieceBytesMax: number },
): Promise<void> {
  tx.run(
    'update data_sets set piece_bytes_max = ? where bucket_id = ? and provider_id = ? and piece_bytes_max <> ?',
    provider.pieceBytesMax,
    bucketId,
    provider.providerId,
    provider.pieceBytesMax,
  )
}

/** Records the attempt, with the bytes that will be sent, before it is sent (I-04). */
export async function recordCreation(
  tx: Tx,
  id: number,
  attempt: { readonly extraData: string; readonly nowMs: number },
): Promise<boolean> {
  const { changes } = tx.run(
    `update data_sets set state = '${creationStates.recorded}', create_extra_data = ?, create_started_at = ?, create_sender_nonce = null, updated_at = ?
     where id = ? and state in (${rowsThatTake(creationStates, 'record')})`,
    attempt.extraData,
    attempt.nowMs,
    attempt.nowMs,
    id,
  )
  return changes === 1
}

export async function recordCreationTx(tx: Tx, id: number, txHash: string, nowMs: number): Promise<void> {
  const sql = `update data_sets set create_tx = ?, updated_at = ? where id = ? and state in (${rowsThatTake(creationStates, 'answered_ok')})`
  tx.run(sql, txHash, nowMs, id)
}

interface FailedCreation {
  readonly code: string
  readonly message: string
  readonly nowMs: number
  /** False: the provider certainly never received the signed bytes. */
  readonly wasOffered?: boolean
}

/** The attempt certainly did not land: the same bytes may be sent again. They are kept, so that no second nonce is used. */
export async function reopenCreation(tx: Tx, id: number, { code, message, nowMs, wasOffered = true }: FailedCreation): Promise<void> {
  tx.run(
    `update data_sets set state = '${creationStates.ready}', create_tx = null, create_offered_at = coalesce(create_offered_at, ?), last_error_code = ?,
     last_error = ?, updated_at = ? where id = ? and state in (${rowsThatTake(creationStates, 'reopened')})`,
    wasOffered ? nowMs : null,
    code,
    message,
    nowMs,
    id,
  )
}

/** Once the sender's final nonce reaches `senderNonce`, an unused creation nonce means that the attempt did not land. */
export async function observeCreation(tx: Tx, id: number, senderNonce: number): Promise<void> {
  const sql = `update data_sets set create_sender_nonce = ? where id = ? and state in (${rowsThatTake(creationStates, 'observed')})`
  tx.run(sql, senderNonce, id)
}

export async function markReady(tx: Tx, id: number, chainId: bigint, nowMs: number): Promise<void> {
  tx.run(
    `update data_sets set state = '${creationStates.landed}', chain_id = ?, last_error_code = null, last_error = null, updated_at = ?
     where id = ? and state in (${openRows(creationStates)})`,
    chainId.toString(),
    nowMs,
    id,
  )
}

/** Records since when the chain reports the data set as ended; null clears it. Returns the recorded time. */
export async function recordGoneSeen(tx: Tx, id: number, nowMs: number | null): Promise<number> {
  tx.run(
    'update data_sets set gone_seen_at = case when ? is null then null else coalesce(gone_seen_at, ?) end where id = ?',
    nowMs,
    nowMs,
    id,
  )
  return tx.get<{ at: number | null }>('select gone_seen_at as at from data_sets where id = ?', id)?.at ?? nowMs ?? 0
}

/** The data set ended on chain: its copies are lost, and no request is sent to it again. */
export async function markLost(tx: Tx, id: number, why: { readonly message: string; readonly nowMs: number }): Promise<void> {
  tx.run(
    "update data_sets set state = 'lost', last_error = ?, updated_at = ? where id = ? and state in ('ready', 'write_blocked')",
    why.message,
    why.nowMs,
    id,
  )
}

/** The service is terminated on chain: no more writes, reads continue. */
export async function markWriteBlocked(tx: Tx, id: number, why: { readonly message: string; readonly nowMs: number }): Promise<void> {
  tx.run(
    "update data_sets set state = 'write_blocked', last_error = ?, updated_at = ? where id = ? and state = 'ready'",
    why.message,
    why.nowMs,
    id,
  )
}

function toDataSet(row: DataSetRow | undefined): DataSet | undefined {
  if (!row) return undefined
  return {
    id: row.id,
    bucketId: row.bucket_id,
    slot: row.slot,
    generation: row.generation,
    providerId: row.provider_id,
    providerAddress: row.provider_address as `0x${string}`,
    payee: row.payee as `0x${string}`,
    serviceUrl: row.service_url,
    clientDataSetId: BigInt(row.client_data_set_id),
    chainId: row.chain_id === null ? null : BigInt(row.chain_id),
    state: row.state,
    createExtraData: row.create_extra_data as `0x${string}` | null,
    createTx: row.create_tx as `0x${string}` | null,
    createStartedAtMs: row.create_started_at,
    createSenderNonce: row.create_sender_nonce,
    goneSeenAtMs: row.gone_seen_at,
    lastError: row.last_error,
    pieceBytesMax: row.piece_bytes_max,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}
