import type { Reader, Tx } from '#kernel'
import type { Landing } from './landing-policy.ts'

/** A landed batch that is not final. */
export interface UnfinalBatch {
  readonly id: number
  /** Local id of its data set. */
  readonly dataSetId: number
  readonly nonce: bigint
  readonly checks: number
  readonly landing: Landing
}

/** A created data set that is not final. */
export interface UnfinalDataSet {
  readonly id: number
  readonly clientDataSetId: bigint
  readonly checks: number
  readonly landing: Landing
}

interface BatchRow {
  readonly id: number
  readonly dataSetId: number
  readonly nonce: string
  readonly checks: number
  readonly chainId: string
  readonly nextPieceId: string | null
  readonly epoch: number | null
}

const batchColumns = `b.id, b.data_set_id as "dataSetId", b.nonce, b.checks as checks, d.chain_id as "chainId",
  b.next_piece_id as "nextPieceId", b.landed_epoch as epoch`
const unfinal = `b.state = 'confirmed' and b.final_at is null`

/** Batches due for a check, longest due first; without those of data sets whose creation is undecided (no id on chain). */
export async function dueBatches(reader: Reader, nowMs: number, limit: number): Promise<readonly UnfinalBatch[]> {
  return reader
    .all<BatchRow>(
      `select ${batchColumns} from commit_batches b join data_sets d on d.id = b.data_set_id
       where ${unfinal} and b.next_check_at <= ? and d.chain_id is not null order by b.next_check_at, b.id limit ?`,
      nowMs,
      limit,
    )
    .map(toBatch)
}

/** Unfinal batches of a data set with an id above `after`, by id. */
export async function unfinalBatches(
  reader: Reader,
  dataSetId: number,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly UnfinalBatch[]> {
  return reader
    .all<BatchRow>(
      `select ${batchColumns} from commit_batches b join data_sets d on d.id = b.data_set_id
       where ${unfinal} and b.data_set_id = ? and b.id > ? and d.chain_id is not null order by b.id limit ?`,
      dataSetId,
      page.after,
      page.limit,
    )
    .map(toBatch)
}

/** Landed batches by id, final or not. */
export async function landedBatches(reader: Reader, ids: readonly number[]): Promise<readonly UnfinalBatch[]> {
  return reader
    .all<BatchRow>(
      `select ${batchColumns} from commit_batches b join data_sets d on d.id = b.data_set_id
       where b.state = 'confirmed' and d.chain_id is not null and b.id in (select value from json_each(?)) order by b.id`,
      JSON.stringify(ids),
    )
    .map(toBatch)
}

interface DataSetRow {
  readonly id: number
  readonly clientDataSetId: string
  readonly checks: number
  readonly chainId: string
  readonly epoch: number | null
}

const dataSetColumns = `id, client_data_set_id as "clientDataSetId", looks as checks, chain_id as "chainId", landed_epoch as epoch`

export async function dueDataSets(reader: Reader, nowMs: number, limit: number): Promise<readonly UnfinalDataSet[]> {
  return reader
    .all<DataSetRow>(
      `select ${dataSetColumns} from data_sets where chain_id is not null and final_at is null and next_look_at <= ?
       order by next_look_at, id limit ?`,
      nowMs,
      limit,
    )
    .map(toDataSet)
}

/** Undefined when it is final, or has no recorded id on chain. */
export async function unfinalDataSet(reader: Reader, id: number): Promise<UnfinalDataSet | undefined> {
  const row = reader.get<DataSetRow>(
    `select ${dataSetColumns} from data_sets where chain_id is not null and final_at is null and id = ?`,
    id,
  )
  return row && toDataSet(row)
}

/** Local id of another data set with this recorded id on chain. */
export async function holderOfChainId(reader: Reader, chainId: bigint, exceptId: number): Promise<number | undefined> {
  return reader.get<{ id: number }>('select id from data_sets where chain_id = ? and id <> ?', chainId.toString(), exceptId)?.id
}

/** When the next check is due; undefined when everything is final. */
export async function nextCheckAtMs(reader: Reader): Promise<number | undefined> {
  const row = reader.get<{ at: number | null }>(
    `select min(at) as at from (
       select * from (select next_look_at as at from data_sets where chain_id is not null and final_at is null order by next_look_at limit 1)
       union all select * from (select b.next_check_at as at from commit_batches b join data_sets d on d.id = b.data_set_id
         where ${unfinal} and d.chain_id is not null order by b.next_check_at limit 1))`,
  )
  return row?.at ?? undefined
}

export interface NextCheck {
  readonly checks: number
  readonly atMs: number
}

/** Records that the batch's nonce is used on chain at this epoch, with these piece ids; it is checked again until it is final. */
export async function recordLanding(
  tx: Tx,
  batchId: number,
  landing: { readonly nextPieceId: bigint; readonly epoch: bigint; readonly next: NextCheck },
): Promise<void> {
  tx.run(
    `update commit_batches set next_piece_id = ?, landed_epoch = ?, final_at = null, next_check_at = ?, checks = ? where id = ? and state = 'confirmed'`,
    landing.nextPieceId.toString(),
    Number(landing.epoch),
    landing.next.atMs,
    landing.next.checks,
    batchId,
  )
}

export async function recordCreationLanding(
  tx: Tx,
  id: number,
  landing: { readonly epoch: bigint; readonly next: NextCheck },
): Promise<void> {
  tx.run(
    'update data_sets set landed_epoch = ?, final_at = null, next_look_at = ?, looks = ? where id = ? and chain_id is not null',
    Number(landing.epoch),
    landing.next.atMs,
    landing.next.checks,
    id,
  )
}

/** Changes nothing when the batch has landed again with other piece ids. */
export async function markBatchFinal(tx: Tx, batch: UnfinalBatch, nowMs: number): Promise<void> {
  tx.run(
    `update commit_batches set final_at = ? where id = ? and state = 'confirmed' and final_at is null and next_piece_id is ?`,
    nowMs,
    batch.id,
    batch.landing.nextPieceId?.toString() ?? null,
  )
}

export async function markDataSetFinal(tx: Tx, dataSet: UnfinalDataSet, nowMs: number): Promise<void> {
  tx.run('update data_sets set final_at = ? where id = ? and chain_id = ?', nowMs, dataSet.id, dataSet.landing.dataSetId.toString())
}

export async function postponeBatchCheck(tx: Tx, batchId: number, next: NextCheck): Promise<void> {
  tx.run(
    `update commit_batches set checks = ?, next_check_at = ? where id = ? and state = 'confirmed' and final_at is null`,
    next.checks,
    next.atMs,
    batchId,
  )
}

export async function postponeDataSetCheck(tx: Tx, id: number, next: NextCheck): Promise<void> {
  tx.run('update data_sets set looks = ?, next_look_at = ? where id = ? and final_at is null', next.checks, next.atMs, id)
}

const toBatch = (row: BatchRow): UnfinalBatch => ({
  id: row.id,
  dataSetId: row.dataSetId,
  nonce: BigInt(row.nonce),
  checks: row.checks,
  landing: {
    dataSetId: BigInt(row.chainId),
    nextPieceId: row.nextPieceId === null ? null : BigInt(row.nextPieceId),
    epoch: row.epoch === null ? null : BigInt(row.epoch),
  },
})

const toDataSet = (row: DataSetRow): UnfinalDataSet => ({
  id: row.id,
  clientDataSetId: BigInt(row.clientDataSetId),
  checks: row.checks,
  landing: { dataSetId: BigInt(row.chainId), nextPieceId: null, epoch: row.epoch === null ? null : BigInt(row.epoch) },
})
