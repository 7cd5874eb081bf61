/** @walk copies 9: records the batch */
import type { Params, Reader } from '#kernel'
import type { DataSet } from '../../datasets/data-set-store.ts'
import type { BatchState } from '../../states/tables/batch-transitions-policy.ts'
import type { AttentionCode } from '../../submissions/attention-policy.ts'
import { statement } from '../../tables.ts'

/** Pieces added to a data set under one nonce and one signature. */
export interface CommitBatch {
  readonly id: number
  readonly dataSetId: number
  readonly method: 'store' | 'pull'
  readonly state: BatchState
  readonly nonce: bigint
  readonly extraData: `0x${string}`
  /** Number of signed pieces, also of those that are no longer items; 0 in a batch of an earlier version, which has a metadata list for each. */
  readonly pieceCount: number
  readonly txHash: `0x${string}` | null
  /** Start of the first submission that may have reached the chain; null before it. */
  readonly firstSubmittedAtMs: number | null
  readonly submitStartedAtMs: number | null
  /** No check and no submission before this time. */
  readonly nextCheckAtMs: number
  readonly checks: number
  /** Nonce of the provider's sender after its handling time for the attempt. */
  readonly senderNonce: number | null
  readonly attentionAtMs: number | null
  /** Reason for the attention. */
  readonly attentionCode: AttentionCode | null
  /** Reason for the wait until `nextCheckAtMs`, or `withdrawn`. */
  readonly reasonCode: string | null
  readonly lastError: string | null
  readonly createdAtMs: number
  /** Excludes items of deleted contents, and released ones; `ordinal` is the position in the signed order. */
  readonly items: readonly (BatchItem & { readonly ordinal: number })[]
  /** Another attempt stores one of its copies: the batch is never sent again, only looked up. */
  readonly isReleased: boolean
}

export interface BatchOfDataSet {
  readonly dataSet: DataSet
  readonly batch: CommitBatch
}

/** Omits its items, which are most of what a read costs. */
export type OpenBatch = Omit<CommitBatch, 'items' | 'isReleased'>

export interface BatchItem {
  readonly copyId: number
  readonly contentId: number
  readonly pieceCid: string
  /** Piece length in bytes. */
  readonly length: number
}

export const isWithdrawn = ({ reasonCode }: CommitBatch): boolean => reasonCode === 'withdrawn'

const findOpen = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .selectFrom('commit_batches')
    .select(['id', 'data_set_id as dataSetId', 'method', 'state', 'nonce', 'extra_data as extraData', 'tx_hash as txHash'])
    .select(['first_submitted_at as firstSubmittedAtMs', 'submit_started_at as submitStartedAtMs', 'next_check_at as nextCheckAtMs'])
    .select(['checks', 'sender_nonce as senderNonce', 'attention_at as attentionAtMs', 'attention_code as attentionCode'])
    .select(['reason_code as reasonCode', 'last_error as lastError', 'created_at as createdAtMs', 'piece_count as pieceCount'])
    .where('data_set_id', '=', dataSetId)
    .where('state', 'not in', ['confirmed', 'closed'])
    .orderBy('id')
    .$narrowType<{ extraData: `0x${string}`; txHash: `0x${string}` | null }>(),
)

const findItems = statement((db, { batchIds }: Params<{ batchIds: readonly number[] }>) =>
  db
    .selectFrom('commit_items as i')
    .innerJoin('copies as c', 'c.id', 'i.copy_id')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .select([
      'i.batch_id as batchId',
      'i.ordinal',
      'i.copy_id as copyId',
      'c.content_id as contentId',
      'i.piece_cid as pieceCid',
      'p.length',
      'i.released_at as releasedAtMs',
    ])
    .where('i.batch_id', 'in', batchIds)
    .orderBy('i.batch_id')
    .orderBy('i.ordinal'),
)

interface Counted {
  readonly method: CommitBatch['method']
  readonly states: readonly BatchState[]
}

/** The first condition on the state is that of the partial index. */
const countOpen = statement((db, { dataSetId, method, states }: Params<Counted & { dataSetId: number }>) =>
  db
    .selectFrom('commit_batches')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('data_set_id', '=', dataSetId)
    .where('state', 'not in', ['confirmed', 'closed'])
    .where('state', 'in', states)
    .where('method', '=', method),
)

const findParked = statement((db, { dataSetId, limit }: Params<{ dataSetId: number; limit: number }>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .select(['c.id as copyId', 'c.content_id as contentId', 'p.piece_cid as pieceCid', 'p.length', 'c.parked_at as parkedAtMs'])
    .where('c.data_set_id', '=', dataSetId)
    .where('c.state', '=', 'parked')
    .orderBy('c.parked_at')
    .orderBy('c.id')
    .limit(limit)
    .$narrowType<{ pieceCid: string; parkedAtMs: number }>(),
)

/** Unsettled batches of a data set, oldest first. */
export async function openBatchRows(reader: Reader, dataSetId: number): Promise<readonly OpenBatch[]> {
  return (await reader.all(findOpen, { dataSetId })).map((batch) => ({ ...batch, nonce: BigInt(batch.nonce) }))
}

/** The oldest unsettled batch of a data set that matches, with its items. */
export async function findOpenBatch(
  reader: Reader,
  dataSetId: number,
  matches: (batch: OpenBatch) => boolean,
): Promise<CommitBatch | undefined> {
  const found = (await openBatchRows(reader, dataSetId)).find(matches)
  return found && (await withItems(reader, [found]))[0]
}

/** The items of a recorded batch never change, except that those of deleted contents are left out. */
export async function withItems(reader: Reader, batches: readonly OpenBatch[]): Promise<readonly CommitBatch[]> {
  if (batches.length === 0) return []
  const items = Map.groupBy(await reader.all(findItems, { batchIds: batches.map(({ id }) => id) }), ({ batchId }) => batchId)
  return batches.map((batch) => {
    const all = items.get(batch.id) ?? []
    const held = all.filter(({ releasedAtMs }) => releasedAtMs === null)
    return { ...batch, items: held, isReleased: held.length < all.length }
  })
}

/** Number of batches in one of these states. */
export async function countBatches(reader: Reader, dataSetId: number, counted: Counted): Promise<number> {
  return (await reader.get(countOpen, { dataSetId, ...counted }))?.n ?? 0
}

/** Parked copies that wait for a batch, oldest first. */
export async function parkedCopies(
  reader: Reader,
  dataSetId: number,
  limit: number,
): Promise<readonly (BatchItem & { readonly parkedAtMs: number })[]> {
  return reader.all(findParked, { dataSetId, limit })
}
