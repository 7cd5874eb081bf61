import { setImmediate } from 'node:timers/promises'
import { type Database, defineProbe, type Tx } from '#kernel'
import { judgeReleasable, pageOfEntries } from './cache-store.ts'

/** Entries looked at between two turns of the event loop. */
const entriesPerPage = 500

const pageReviewed = defineProbe('cache.durability.page-reviewed')

/**
 * Brings `releasable` of the bucket's cached contents in line with its minimum. Whatever changes meanwhile is right by itself: it is
 * judged by the bucket's row, and so is every removal (I-02). `onJudged` is called in each transaction that changed something.
 */
export async function reviewDurability(
  database: Database,
  { bucketId, onJudged }: { readonly bucketId: number; readonly onJudged: (tx: Tx) => void },
  signal: AbortSignal,
): Promise<void> {
  let after = 0
  for (;;) {
    signal.throwIfAborted()
    const page = pageOfEntries(database.read, { bucketId, after, limit: entriesPerPage })
    if (page.lastId === undefined) return
    const { misjudged } = page
    if (misjudged.length > 0) {
      await database.write((tx) => {
        for (const contentId of misjudged) judgeReleasable(tx, contentId)
        onJudged(tx)
      })
    }
    await pageReviewed()
    await setImmediate()
    after = page.lastId
  }
}
