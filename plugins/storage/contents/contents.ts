import type { Tx } from '#kernel'
import {
  deleteContent,
  discountCopies,
  hasLeftCache,
  insertSeparateContent,
  markContentStoring,
  writeHoldings,
} from '../catalog/content-state-store.ts'
import { forgetBucket, isDeletedWithoutContents } from '../catalog/deleted-bucket-store.ts'
import { findContent, keysOfContent } from '../catalog/reference-store.ts'
import { setHold, updateReleasable, withholdEntries } from '../catalog/releasable-store.ts'
import type { Contents } from '../contract.ts'
import type { Keepers } from './keepers.ts'

/** The port through which keepers report. Every write to the rows of contents and of the cache is made here or in the catalog. */
export function createContents(keepers: Keepers): Contents {
  async function forgetIfReleased(tx: Tx, contentId: number): Promise<void> {
    if (!(await hasLeftCache(tx, contentId)) || (await keepers.isHeld(tx, contentId))) return
    await keepers.forgotten(tx, contentId)
    const bucketId = await deleteContent(tx, contentId)
    if (bucketId !== undefined) await forgetBucketIfReleased(tx, bucketId)
  }
  async function forgetBucketIfReleased(tx: Tx, bucketId: number): Promise<void> {
    if (!(await isDeletedWithoutContents(tx, bucketId)) || (await keepers.isBucketHeld(tx, bucketId))) return
    await forgetBucket(tx, bucketId)
  }
  return {
    find: findContent,
    keysOf: keysOfContent,
    async recount(tx, contentId, nowMs) {
      await writeHoldings(tx, contentId, await keepers.holdings(tx, contentId), nowMs)
      await updateReleasable(tx, contentId)
      await forgetIfReleased(tx, contentId)
    },
    forgetIfReleased,
    forgetBucketIfReleased,
    markStoring: markContentStoring,
    async discount(tx, contentIds, copies) {
      if (copies > 0) await discountCopies(tx, contentIds, copies)
      await withholdEntries(tx, contentIds)
    },
    doubtCopies: (tx, contentId) => setHold(tx, contentId, true),
    confirmCopies: (tx, contentId) => setHold(tx, contentId, false),
    separate: insertSeparateContent,
  }
}
