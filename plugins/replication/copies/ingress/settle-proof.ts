import type { Tx } from '#kernel'
import type { Pipeline } from '../../pipeline.ts'
import { planPiece } from '../records/copy-store.ts'
import { markPieceProven, moveCopies } from './piece-proof-store.ts'

type ProofDeps = Pick<Pipeline, 'contents' | 'states'>

/** The piece CID is that of the content's bytes. */
export async function markProven({ contents, states }: ProofDeps, tx: Tx, contentId: number): Promise<void> {
  await markPieceProven(tx, contentId)
  await contents.confirmCopies(tx, contentId)
  await states.copies.recount(tx, [contentId])
}

/**
 * The copies of the content have other bytes. Moves them to a new content in state `deleting`, so that they are removed like those of any
 * deleted object; the content is stored again from its cached bytes.
 */
export async function separateCopies(
  { contents, states }: ProofDeps,
  tx: Tx,
  content: { readonly contentId: number; readonly size: number },
  nowMs: number,
): Promise<void> {
  const { contentId } = content
  const separateId = await contents.createReleased(tx, contentId, nowMs)
  await moveCopies(tx, { from: contentId, to: separateId })
  await planPiece(tx, content)
  await contents.confirmCopies(tx, contentId)
  await states.copies.recount(tx, [contentId, separateId])
}
