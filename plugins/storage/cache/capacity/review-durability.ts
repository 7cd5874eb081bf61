import { setImmediate } from 'node:timers/promises'
import { type Database, defineProbe, type Tx } from '#kernel'
import { pageOfEntries, reviewReleasable } from '../../catalog/cached/releasable-store.ts'

/** Entries checked before yielding to the event loop. */
const entriesPerPage = 500

const pageReviewed = defineProbe('cache.durability.page-reviewed')

/**
 * Updates `releasable` of the bucket's cached contents to its minimum. Concurrent changes need no lock: they and every eviction read the
 * minimum from the bucket's row (I-02). `onUpdated` is called in each transaction that changed an entry.
 */
export async function reviewDurability(
  database: Database,
  { bucketId, onUpdated }: { readonly bucketId: number; readonly onUpdated: (tx: Tx) => Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  let after = 0
  for (;;) {
    signal.throwIfAborted()
    const page = await pageOfEntries(database.read, { bucketId, after, limit: entriesPerPage })
    if (page.lastId === undefined) return
    const { stale } = page
    if (stale.length > 0) {
      await database.write(async (tx) => {
        await reviewReleasable(tx, stale)
        await onUpdated(tx)
      })
    }
    await pageReviewed()
    await setImmediate()
    after = page.lastId
  }
}
