import type { Tx } from '#kernel'
import { setHold, updateReleasable, withholdEntries } from '../catalog/cache-entry-store.ts'
import {
  deleteContent,
  discountCopies,
  hasLeftCache,
  insertSeparateContent,
  markContentStoring,
  writeHoldings,
} from '../catalog/content-state-store.ts'
import { findContent, keysOfContent } from '../catalog/reference-store.ts'
import type { Contents } from '../contract.ts'
import type { Keepers } from './keepers.ts'

/** The port through which keepers report. Every write to the rows of contents and of the cache is made here or in the catalog. */
export function createContents(keepers: Keepers): Contents {
  function forgetIfReleased(tx: Tx, contentId: number): void {
    if (!hasLeftCache(tx, contentId) || keepers.isHeld(tx, contentId)) return
    keepers.forgotten(tx, contentId)
    deleteContent(tx, contentId)
  }
  return {
    find: findContent,
    keysOf: keysOfContent,
    recount(tx, contentId, nowMs) {
      writeHoldings(tx, contentId, keepers.holdings(tx, contentId), nowMs)
      updateReleasable(tx, contentId)
      forgetIfReleased(tx, contentId)
    },
    forgetIfReleased,
    markStoring: markContentStoring,
    discount(tx, contentIds, copies) {
      if (copies > 0) discountCopies(tx, contentIds, copies)
      withholdEntries(tx, contentIds)
    },
    doubtCopies: (tx, contentId) => setHold(tx, contentId, true),
    confirmCopies: (tx, contentId) => setHold(tx, contentId, false),
    separate: insertSeparateContent,
  }
}
