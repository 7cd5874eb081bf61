import type { Reader, Tx } from '#kernel'
import { planPiece, recountContent } from './copy-store.ts'

/** Whether an earlier version recorded the piece CID without comparing the SHA-256 of the bytes. */
export const hasUnprovenPiece = (read: Reader, contentId: number): boolean =>
  read.get('select 1 from pieces where content_id = ? and piece_cid is not null and is_proven = 0', contentId) !== undefined

export function markProven(tx: Tx, contentId: number, nowMs: number): void {
  tx.run('update pieces set is_proven = 1 where content_id = ?', contentId)
  releaseHold(tx, contentId)
  recountContent(tx, contentId, nowMs)
}

/** Keeps the cached bytes until the piece is proven: the copies may have other bytes (I-02). */
export function holdCachedBytes(tx: Tx, contentId: number): void {
  tx.run('update cache_entries set awaits_proof = 1, releasable = 0 where content_id = ?', contentId)
}

const releaseHold = (tx: Tx, contentId: number) => tx.run('update cache_entries set awaits_proof = 0 where content_id = ?', contentId)

/**
 * The copies of the content have other bytes. Moves them to a new content in state `deleting`, so that they are removed like those of any
 * deleted object; the content is stored again from its cached bytes. Returns the data sets that have pieces to remove.
 */
export function separateCopies(tx: Tx, content: { readonly contentId: number; readonly size: number }, nowMs: number): readonly number[] {
  const { contentId } = content
  const { lastId } = tx.run(
    `insert into contents (bucket_id, identity, size, state, ref_count, target_copies, created_at, updated_at)
     select bucket_id, 'separated:' || id, size, 'deleting', 0, target_copies, ?, ? from contents where id = ?`,
    nowMs,
    nowMs,
    contentId,
  )
  tx.run('update pieces set content_id = ? where content_id = ?', lastId, contentId)
  tx.run('update copies set content_id = ? where content_id = ?', lastId, contentId)
  planPiece(tx, content)
  releaseHold(tx, contentId)
  recountContent(tx, contentId, nowMs)
  return recountContent(tx, lastId, nowMs)
}
