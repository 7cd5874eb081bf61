/** @walk copies 14: reports the change to storage in the same transaction */
import type { Tx } from '#kernel'
import type { Pipeline } from '../pipeline.ts'
import { releaseCopies } from './release-store.ts'

/**
 * Call in the transaction that changed copies of the contents, once for all of them: reports the copies to storage. Releases those of
 * deleted contents; returns the data sets from which they must be removed.
 */
export async function recountContents(
  { contents }: Pick<Pipeline, 'contents'>,
  tx: Tx,
  contentIds: readonly number[],
  nowMs: number,
): Promise<readonly number[]> {
  const released = await releaseCopies(tx, contentIds, nowMs)
  await contents.recount(tx, contentIds, nowMs)
  return released
}
