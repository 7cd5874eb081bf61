/** @walk copies 15: counts the copies of all keepers */
import type { Tx } from '#kernel'
import { forgetBucket, isDeletedWithoutContents } from '../catalog/buckets/deleted-bucket-store.ts'
import { reviewReleasable, setHold, withholdEntries } from '../catalog/cached/releasable-store.ts'
import {
  deleteContent,
  deletedOutsideCache,
  insertSeparateContent,
  markContentStoring,
  markLost,
  subtractCopies,
  writeHoldings,
} from '../catalog/contents/content-state-store.ts'
import { raisePage } from '../catalog/contents/raise-store.ts'
import { findContent, keysOfContent, placesOfContents } from '../catalog/references/reference-store.ts'
import type { Contents } from '../contract.ts'
import type { Keepers } from './keepers.ts'

/** The port through which keepers report. Every write to the rows of contents and of the cache is made here or in the catalog. */
export function createContents(keepers: Keepers): Contents {
  async function forgetReleased(tx: Tx, contentIds: readonly number[]): Promise<void> {
    for (const contentId of await deletedOutsideCache(tx, contentIds)) {
      if (await keepers.hasContent(tx, contentId)) continue
      await keepers.deleteContent(tx, contentId)
      const bucketId = await deleteContent(tx, contentId)
      if (bucketId !== undefined) await forgetBucketIfReleased(tx, bucketId)
    }
  }
  async function forgetBucketIfReleased(tx: Tx, bucketId: number): Promise<void> {
    if (!(await isDeletedWithoutContents(tx, bucketId)) || (await keepers.hasBucket(tx, bucketId))) return
    await forgetBucket(tx, bucketId)
  }
  return {
    find: findContent,
    placesOf: placesOfContents,
    keysOf: keysOfContent,
    async recount(tx, contentIds, nowMs) {
      if (contentIds.length === 0) return
      await writeHoldings(tx, await keepers.holdings(tx, contentIds), nowMs)
      await markLost(tx, contentIds, nowMs)
      await reviewReleasable(tx, contentIds)
      await forgetReleased(tx, contentIds)
    },
    forgetIfReleased: (tx, contentId) => forgetReleased(tx, [contentId]),
    forgetBucketIfReleased,
    async raiseTargets(tx, page, nowMs) {
      const { raised, next } = await raisePage(tx, page, nowMs)
      await this.recount(
        tx,
        raised.map(({ id }) => id),
        nowMs,
      )
      const total = { contents: raised.length, copies: 0, bytes: 0, next }
      for (const { storeState, targetCopies, ...content } of raised) {
        const added = page.copies - targetCopies
        total.copies += added
        total.bytes += added * content.size
        // A content that was not stored yet is stored with its new target by the work that it has.
        if (storeState !== 'unstored') await keepers.needed(tx, { ...content, targetCopies: page.copies, reason: 'raised' })
      }
      return total
    },
    markStoring: markContentStoring,
    async subtractCopies(tx, contentIds, copies) {
      if (copies > 0) await subtractCopies(tx, contentIds, copies)
      await withholdEntries(tx, contentIds)
    },
    awaitProof: (tx, contentId) => setHold(tx, contentId, true),
    confirmCopies: (tx, contentId) => setHold(tx, contentId, false),
    createReleased: insertSeparateContent,
  }
}
