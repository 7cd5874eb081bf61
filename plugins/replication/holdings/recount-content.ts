import type { Tx } from '#kernel'
import type { Pipeline } from '../pipeline.ts'
import { releaseCopies } from './release-store.ts'

/**
 * Call in the transaction that changed the content's copies: reports them to storage. Releases the copies of a deleted content; returns
 * the data sets from which they must be removed.
 */
export async function recountContent(
  { contents }: Pick<Pipeline, 'contents'>,
  tx: Tx,
  contentId: number,
  nowMs: number,
): Promise<readonly number[]> {
  const released = await releaseCopies(tx, contentId, nowMs)
  await contents.recount(tx, contentId, nowMs)
  return released
}
