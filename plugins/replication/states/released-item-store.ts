/** Pieces of batches whose copies another attempt stores. */
import type { Params, Reader, Tx } from '#kernel'
import { endedRemovalStates } from '../holdings/open-removals-store.ts'
import { removalStates } from '../submissions/row-states-policy.ts'
import { statement } from '../tables.ts'

type OfBatch<P = Record<never, never>> = Params<P & { batchId: number }>
type OfItems<P = Record<never, never>> = OfBatch<P & { copyIds: readonly number[] }>

const findReleased = statement((db, { batchId }: OfBatch) =>
  db
    .selectFrom('commit_items as i')
    .innerJoin('copies as c', 'c.id', 'i.copy_id')
    .select(['i.ordinal', 'i.copy_id as copyId', 'c.content_id as contentId', 'i.piece_cid as pieceCid'])
    .where('i.batch_id', '=', batchId)
    .where('i.released_at', 'is not', null)
    .orderBy('i.ordinal'),
)

const release = statement(
  (db, { batchId, copyId, priceList, nowMs }: OfBatch<{ copyId: number; priceList: string | null; nowMs: number }>) =>
    db
      .updateTable('commit_items')
      .set({ released_at: nowMs, price_list: priceList })
      .where('batch_id', '=', batchId)
      .where('copy_id', '=', copyId),
)

const keep = statement((db, { batchId, copyIds }: OfItems) =>
  db.updateTable('commit_items').set({ released_at: null }).where('batch_id', '=', batchId).where('copy_id', 'in', copyIds),
)

const releaseElsewhere = statement((db, { batchId, copyIds, nowMs }: OfItems<{ nowMs: number }>) =>
  db
    .updateTable('commit_items')
    .set({ released_at: nowMs })
    .where('copy_id', 'in', copyIds)
    .where('batch_id', '<>', batchId)
    .where('released_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('commit_batches as b')
          .select('b.id')
          .whereRef('b.id', '=', 'commit_items.batch_id')
          .where('b.state', 'not in', ['confirmed', 'closed']),
      ),
    ),
)

interface SurplusRow {
  readonly dataSetId: number
  readonly batchId: number
  readonly contentId: number
  readonly pieceId: string
  readonly pieceCid: string
  readonly nowMs: number
}

const addRemoval = statement((db, { dataSetId, batchId, contentId, pieceId, pieceCid, nowMs }: Params<SurplusRow>) =>
  db
    .insertInto('removals')
    .values({
      data_set_id: dataSetId,
      chain_piece_id: pieceId,
      copy_id: null,
      content_id: contentId,
      piece_cid: pieceCid,
      state: removalStates.ready,
      surplus_batch_id: batchId,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .onConflict((conflict) => conflict.columns(['data_set_id', 'chain_piece_id']).where('state', 'not in', endedRemovalStates).doNothing()),
)

interface ReleasedItem {
  /** Position in the signed order. */
  readonly ordinal: number
  readonly copyId: number
  readonly contentId: number
  readonly pieceCid: string
}

export const releasedItems = (reader: Reader, batchId: number): Promise<readonly ReleasedItem[]> => reader.all(findReleased, { batchId })

/**
 * Another attempt will store the copy, at the prices that the operator accepts. The caller takes the copy out of the batch in the same
 * transaction.
 */
export async function releaseItem(
  tx: Tx,
  item: { readonly batchId: number; readonly copyId: number },
  nowMs: number,
  priceList: string | null = null,
): Promise<void> {
  await tx.run(release, { ...item, priceList, nowMs })
}

/** The batch landed before any later one: its pieces are the copies, and the later batches release them. */
export async function keepItems(tx: Tx, batchId: number, copyIds: readonly number[], nowMs: number): Promise<void> {
  await tx.run(keep, { batchId, copyIds })
  await tx.run(releaseElsewhere, { batchId, copyIds, nowMs })
}

/** The piece is paid for and nothing needs it: it is removed like a piece of a deleted content. */
export async function addSurplus(
  tx: Tx,
  { pieceId, ...surplus }: Omit<SurplusRow, 'pieceId'> & { readonly pieceId: bigint },
): Promise<void> {
  await tx.run(addRemoval, { ...surplus, pieceId: pieceId.toString() })
}
