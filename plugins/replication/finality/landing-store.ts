import type { QueryCreator } from 'kysely'
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { type ReplicationTables, statement } from '../tables.ts'
import type { Landing } from './landing-policy.ts'

/** Signed bytes of a batch that was adopted: it was never sent. */
export const adoptedData = '0x00'

/** A landed batch, or a created data set, that is not final. */
export interface Unfinal {
  readonly id: number
  /** Is undefined when the batch was adopted at the finalized epoch, and its nonce is not on chain. */
  readonly nonce: bigint | undefined
  readonly checks: number
  readonly landing: Landing
}

interface LandedRow {
  readonly id: number
  readonly nonce: string
  readonly extraData?: string
  readonly checks: number
  readonly chainId: string
  readonly nextPieceId?: string | null
  readonly epoch: number | null
}

/** Excludes batches of data sets whose creation is undecided: they have no id on chain. */
const landed = (db: QueryCreator<ReplicationTables>) =>
  db
    .selectFrom('commit_batches as b')
    .innerJoin('data_sets as d', 'd.id', 'b.data_set_id')
    .select([
      'b.id',
      'b.nonce',
      'b.checks',
      'd.chain_id as chainId',
      'b.next_piece_id as nextPieceId',
      'b.landed_epoch as epoch',
      'b.extra_data as extraData',
    ])
    .$narrowType<{ chainId: string }>()
    .where('b.state', '=', 'confirmed')
    .where('d.chain_id', 'is not', null)

const findDue = statement((db, { nowMs, limit }: Params<{ nowMs: number; limit: number }>) =>
  landed(db).where('b.final_at', 'is', null).where('b.next_check_at', '<=', nowMs).orderBy('b.next_check_at').orderBy('b.id').limit(limit),
)

const findPage = statement((db, { dataSetId, after, limit }: Params<{ dataSetId: number; after: number; limit: number }>) =>
  landed(db).where('b.final_at', 'is', null).where('b.data_set_id', '=', dataSetId).where('b.id', '>', after).orderBy('b.id').limit(limit),
)

const findLanded = statement((db, { ids }: Params<{ ids: readonly number[] }>) => landed(db).where('b.id', 'in', ids).orderBy('b.id'))

const unfinalDataSets = (db: QueryCreator<ReplicationTables>) =>
  db
    .selectFrom('data_sets')
    .select(['id', 'client_data_set_id as nonce', 'looks as checks', 'chain_id as chainId', 'landed_epoch as epoch'])
    .$narrowType<{ chainId: string }>()
    .where('chain_id', 'is not', null)
    .where('final_at', 'is', null)

const findDueDataSets = statement((db, { nowMs, limit }: Params<{ nowMs: number; limit: number }>) =>
  unfinalDataSets(db).where('next_look_at', '<=', nowMs).orderBy('next_look_at').orderBy('id').limit(limit),
)

const findDataSet = statement((db, { id }: Params<{ id: number }>) => unfinalDataSets(db).where('id', '=', id))

const findHolder = statement((db, { chainId, exceptId }: Params<{ chainId: string; exceptId: number }>) =>
  db.selectFrom('data_sets').select('id').where('chain_id', '=', chainId).where('id', '<>', exceptId),
)

/** One search of an index for data sets, and one for batches. */
const nextCheck = sqlStatement<Record<never, never>, { at: number | null }>(
  `select min(at) as at from (
     select (select next_look_at from data_sets where chain_id is not null and final_at is null order by next_look_at limit 1) as at
     union all
     select (select b.next_check_at from commit_batches b join data_sets d on d.id = b.data_set_id
       where b.state = 'confirmed' and b.final_at is null and d.chain_id is not null order by b.next_check_at limit 1)) due`,
)

type Check<P> = Params<P & { id: number; atMs: number; checks: number }>

const landCreation = statement((db, { id, epoch, atMs, checks }: Check<{ epoch: number }>) =>
  db
    .updateTable('data_sets')
    .set({ landed_epoch: epoch, final_at: null, next_look_at: atMs, looks: checks })
    .where('id', '=', id)
    .where('chain_id', 'is not', null),
)

const finishBatch = statement((db, { id, nextPieceId, nowMs }: Params<{ id: number; nextPieceId: string | null; nowMs: number }>) =>
  db
    .updateTable('commit_batches')
    .set({ final_at: nowMs })
    .where('id', '=', id)
    .where('state', '=', 'confirmed')
    .where('final_at', 'is', null)
    .where('next_piece_id', 'is not distinct from', nextPieceId),
)

const finishDataSet = statement((db, { id, chainId, nowMs }: Params<{ id: number; chainId: string; nowMs: number }>) =>
  db.updateTable('data_sets').set({ final_at: nowMs }).where('id', '=', id).where('chain_id', '=', chainId),
)

const postponeBatch = statement((db, { id, atMs, checks }: Check<Record<never, never>>) =>
  db
    .updateTable('commit_batches')
    .set({ checks, next_check_at: atMs })
    .where('id', '=', id)
    .where('state', '=', 'confirmed')
    .where('final_at', 'is', null),
)

const postponeDataSet = statement((db, { id, atMs, checks }: Check<Record<never, never>>) =>
  db.updateTable('data_sets').set({ looks: checks, next_look_at: atMs }).where('id', '=', id).where('final_at', 'is', null),
)

const releaseId = statement((db, { id, chainId, nowMs }: Params<{ id: number; chainId: string; nowMs: number }>) =>
  db
    .updateTable('data_sets')
    .set({ chain_id: null, final_at: nowMs, updated_at: nowMs })
    .where('id', '=', id)
    .where('chain_id', '=', chainId)
    .where('state', '=', 'lost'),
)

/** Batches due for a check, longest due first; without those of data sets whose creation is undecided (no id on chain). */
export async function dueBatches(reader: Reader, nowMs: number, limit: number): Promise<readonly Unfinal[]> {
  return (await reader.all(findDue, { nowMs, limit })).map(toUnfinal)
}

/** Unfinal batches of a data set with an id above `after`, by id. */
export async function unfinalBatches(
  reader: Reader,
  dataSetId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly Unfinal[]> {
  return (await reader.all(findPage, { dataSetId, after, limit })).map(toUnfinal)
}

/** Landed batches by id, final or not. */
export async function landedBatches(reader: Reader, ids: readonly number[]): Promise<readonly Unfinal[]> {
  return (await reader.all(findLanded, { ids })).map(toUnfinal)
}

export async function dueDataSets(reader: Reader, nowMs: number, limit: number): Promise<readonly Unfinal[]> {
  return (await reader.all(findDueDataSets, { nowMs, limit })).map(toUnfinal)
}

/** Returns undefined when it is final, or has no recorded id on chain. */
export async function unfinalDataSet(reader: Reader, id: number): Promise<Unfinal | undefined> {
  const row = await reader.get(findDataSet, { id })
  return row && toUnfinal(row)
}

/** Local id of another data set with this recorded id on chain. */
export async function holderOfChainId(reader: Reader, chainId: bigint, exceptId: number): Promise<number | undefined> {
  return (await reader.get(findHolder, { chainId: chainId.toString(), exceptId }))?.id
}

/** When the next check is due; undefined when everything is final. */
export async function nextCheckAtMs(reader: Reader): Promise<number | undefined> {
  return (await reader.get(nextCheck))?.at ?? undefined
}

export interface NextCheck {
  readonly checks: number
  readonly atMs: number
}

export async function recordCreationLanding(
  tx: Tx,
  id: number,
  { epoch, next }: { readonly epoch: bigint; readonly next: NextCheck },
): Promise<void> {
  await tx.run(landCreation, { ...next, id, epoch: Number(epoch) })
}

/** Changes nothing when the batch has landed again with other piece ids. */
export async function markBatchFinal(tx: Tx, { id, landing }: Unfinal, nowMs: number): Promise<void> {
  await tx.run(finishBatch, { id, nextPieceId: landing.nextPieceId?.toString() ?? null, nowMs })
}

export async function markDataSetFinal(tx: Tx, { id, landing }: Unfinal, nowMs: number): Promise<void> {
  await tx.run(finishDataSet, { id, chainId: landing.dataSetId.toString(), nowMs })
}

export async function postponeBatchCheck(tx: Tx, batchId: number, next: NextCheck): Promise<void> {
  await tx.run(postponeBatch, { ...next, id: batchId })
}

export async function postponeDataSetCheck(tx: Tx, id: number, next: NextCheck): Promise<void> {
  await tx.run(postponeDataSet, { ...next, id })
}

/** The creation of a lost data set is no longer on chain: frees its id for another data set. False when it is not lost. */
export async function releaseLostId(
  tx: Tx,
  { id, chainId }: { readonly id: number; readonly chainId: bigint },
  nowMs: number,
): Promise<boolean> {
  return (await tx.run(releaseId, { id, chainId: chainId.toString(), nowMs })).changes === 1
}

const toUnfinal = ({ id, nonce, extraData, checks, chainId, nextPieceId = null, epoch }: LandedRow): Unfinal => ({
  id,
  nonce: extraData === adoptedData ? undefined : BigInt(nonce),
  checks,
  landing: {
    dataSetId: BigInt(chainId),
    nextPieceId: nextPieceId === null ? null : BigInt(nextPieceId),
    epoch: epoch === null ? null : BigInt(epoch),
  },
})
