import type { Tx } from '#kernel'
import { recountContents } from '../../holdings/recount-contents.ts'
import type { Pipeline } from '../../pipeline.ts'
import { planPiece } from '../records/copy-store.ts'
import { markPieceProven, moveCopies } from './piece-proof-store.ts'

type ProofDeps = Pick<Pipeline, 'contents'>

/** The piece CID is that of the content's bytes. */
export async function markProven(deps: ProofDeps, tx: Tx, contentId: number, nowMs: number): Promise<void> {
  await markPieceProven(tx, contentId)
  await deps.contents.confirmCopies(tx, contentId)
  await recountContents(deps, tx, [contentId], nowMs)
}

/**
 * The copies of the content have other bytes. Moves them to a new content in state `deleting`, so that they are removed like those of any
 * deleted object; the content is stored again from its cached bytes. Returns the data sets that have pieces to remove.
 */
export async function separateCopies(
  deps: ProofDeps,
  tx: Tx,
  content: { readonly contentId: number; readonly size: number },
  nowMs: number,
): Promise<readonly number[]> {
  const { contentId } = content
  const separateId = await deps.contents.separate(tx, contentId, nowMs)
  await moveCopies(tx, { from: contentId, to: separateId })
  await planPiece(tx, content)
  await deps.contents.confirmCopies(tx, contentId)
  await recountContents(deps, tx, [contentId], nowMs)
  return await recountContents(deps, tx, [separateId], nowMs)
}
