import type { Reader } from '#kernel'
import { type CommitBatch, openBatchRows, withItems } from '../copies/records/batch-store.ts'

/** Unsettled batches of a data set with their items, oldest first. */
export async function openBatches(reader: Reader, dataSetId: number): Promise<readonly CommitBatch[]> {
  return withItems(reader, await openBatchRows(reader, dataSetId))
}
