/** @walk copies 15: counts the copies of all keepers */
import type { Tx } from '#kernel'
import { forgetBucket, isDeletedWithoutContents } from '../catalog/buckets/deleted-bucket-store.ts'
import { reviewReleasable, setHold, withholdEntries } from '../catalog/cached/releasable-store.ts'
import {
  deleteContent,
  deletedOutsideCache,
  discountCopies,
  insertSeparateContent,
  markContentStoring,
  writeHoldings,
} from '../catalog/contents/content-state-store.ts'
import { findContent, keysOfContent, placesOfContents } from '../catalog/references/reference-store.ts'
import type { Contents } from '../contract.ts'
import type { Keepers } from './keepers.ts'

/** The port through which keepers report. Every write to the rows of contents and of the cache is made here or in the catalog. */
export function createContents(keepers: Keepers): Contents {
  async function forgetReleased(tx: Tx, contentIds: readonly number[]): Promise<void> {
    for (const contentId of await deletedOutsideCache(tx, contentIds)) {
      if (await keepers.isHeld(tx, contentId)) continue
      await keepers.forgotten(tx, contentId)
      const bucketId = await deleteContent(tx, contentId)
      if (bucketId !== undefined) await forgetBucketIfReleased(tx, bucketId)
    }
  }
  async function forgetBucketIfReleased(tx: Tx, bucketId: number): Promise<void> {
    if (!(await isDeletedWithoutContents(tx, bucketId)) || (await keepers.isBucketHeld(tx, bucketId))) return
    await forgetBucket(tx, bucketId)
  }
  return {
    find: findContent,
    placesOf: placesOfContents,
    keysOf: keysOfContent,
    async recount(tx, contentIds, nowMs) {
      if (contentIds.length === 0) return
      await writeHoldings(tx, await keepers.holdings(tx, contentIds), nowMs)
      await reviewReleasable(tx, contentIds)
      await forgetReleased(tx, contentIds)
    },
    forgetIfReleased: (tx, contentId) => forgetReleased(tx, [contentId]),
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
