import type { Reader, Tx } from '#kernel'

/** Whether an earlier version recorded the piece CID without comparing the SHA-256 of the bytes. */
export const hasUnprovenPiece = async (read: Reader, contentId: number): Promise<boolean> =>
  read.get('select 1 from pieces where content_id = ? and piece_cid is not null and is_proven = 0', contentId) !== undefined

export async function markPieceProven(tx: Tx, contentId: number): Promise<void> {
  tx.run('update pieces set is_proven = 1 where content_id = ?', contentId)
}

/** Moves the pieces and copies of a content to another. */
export async function moveCopies(tx: Tx, { from, to }: { readonly from: number; readonly to: number }): Promise<void> {
  tx.run('update pieces set content_id = ? where content_id = ?', to, from)
  tx.run('update copies set content_id = ? where content_id = ?', to, from)
}
