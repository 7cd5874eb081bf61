import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../../tables.ts'

interface OfContent {
  readonly contentId: number
}

const findUnproven = statement((db, { contentId }: Params<OfContent>) =>
  db.selectFrom('pieces').select('id').where('content_id', '=', contentId).where('piece_cid', 'is not', null).where('is_proven', '=', 0),
)

const prove = statement((db, { contentId }: Params<OfContent>) =>
  db.updateTable('pieces').set({ is_proven: 1 }).where('content_id', '=', contentId),
)

interface Move {
  readonly from: number
  readonly to: number
}

const movePieces = statement((db, { from, to }: Params<Move>) =>
  db.updateTable('pieces').set({ content_id: to }).where('content_id', '=', from),
)

const moveCopiesOf = statement((db, { from, to }: Params<Move>) =>
  db.updateTable('copies').set({ content_id: to }).where('content_id', '=', from),
)

/** Whether an earlier version recorded the piece CID without comparing the SHA-256 of the bytes. */
export const hasUnprovenPiece = async (read: Reader, contentId: number): Promise<boolean> =>
  (await read.get(findUnproven, { contentId })) !== undefined

export async function markPieceProven(tx: Tx, contentId: number): Promise<void> {
  await tx.run(prove, { contentId })
}

/** Moves the pieces and copies of a content to another. */
export async function moveCopies(tx: Tx, move: Move): Promise<void> {
  await tx.run(movePieces, move)
  await tx.run(moveCopiesOf, move)
}
