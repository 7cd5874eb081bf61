import type { Tx } from '#kernel'
import type { Pipeline } from '../pipeline.ts'
import { releaseCopies } from './release-store.ts'

/**
 * Call in the transaction that changed the content's copies: reports them to storage. Releases the copies of a deleted content; returns
 * the data sets from which they must be removed.
 */
export function recountContent({ contents }: Pick<Pipeline, 'contents'>, tx: Tx, contentId: number, nowMs: number): readonly number[] {
  const released = releaseCopies(tx, contentId, nowMs)
  contents.recount(tx, contentId, nowMs)
  return released
}
