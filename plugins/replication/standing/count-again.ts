import type { Pipeline } from '../pipeline.ts'
import { contentsOnDataSet, findStanding, recordCounted } from './standing-store.ts'

type CountAgainDeps = Pick<Pipeline, 'database' | 'states' | 'uploadEvents'>

/** Contents recounted per transaction, so that other writers do not wait long. */
const pageRows = 500

/**
 * Counts the contents of a data set after its copies began or stopped to count as durable. Each page is recorded with its counts: a
 * later run continues there. Until then a guard keeps the cached bytes of the contents that are not counted yet.
 */
export async function countAgain(
  { database, states, uploadEvents }: CountAgainDeps,
  dataSetId: number,
  signal: AbortSignal,
): Promise<void> {
  for (let isDone = false; !isDone; ) {
    signal.throwIfAborted()
    isDone = await database.write(async (tx) => {
      const standing = await findStanding(tx, dataSetId)
      if (!standing || standing.countedTo === null) return true
      const contents = await contentsOnDataSet(tx, dataSetId, { after: standing.countedTo, limit: pageRows })
      await states.copies.recount(tx, contents)
      uploadEvents.changed(tx, contents)
      const isLast = contents.length < pageRows
      await recordCounted(tx, standing, isLast ? null : (contents.at(-1) ?? null))
      return isLast
    })
  }
}
