import type { Reader } from '#kernel'
import { findRemovals, type Removal } from './removal-store.ts'

const pendingBatches = (finality: 'is null' | 'is not null') => `select r.id, b.id as batchId from removals r
  join copies c on c.id = r.copy_id join commit_batches b on b.id = c.batch_id
  where r.data_set_id = ? and r.state = 'pending' and b.state = 'confirmed' and b.final_at ${finality}`

/** Landed batches that are not final and have pieces with a pending removal. */
export async function unfinalBatchesToRemoveFrom(reader: Reader, dataSetId: number, limit: number): Promise<readonly number[]> {
  return reader
    .all<{ id: number }>(`select distinct batchId as id from (${pendingBatches('is null')}) order by batchId limit ?`, dataSetId, limit)
    .map(({ id }) => id)
}

export interface RemovableRemoval {
  readonly removal: Removal
  readonly batchId: number
}

/** Pending removals of pieces that are final on chain, oldest first; removals withheld for the retry of this task come last. */
export async function removableRemovals(
  reader: Reader,
  { dataSetId, taskId }: { readonly dataSetId: number; readonly taskId: number },
  limit: number,
): Promise<readonly RemovableRemoval[]> {
  const find = async (withheldTaskId: string, ...params: readonly number[]) =>
    reader.all<{ id: number; batchId: number }>(
      `${pendingBatches('is not null')} and r.state not in ('removed', 'data_set_ended') and r.withheld_task_id ${withheldTaskId} order by r.id limit ?`,
      dataSetId,
      ...params,
    )
  const free = await find('is null', limit)
  const rows = [...free, ...(await find('= ?', taskId, limit - free.length))]
  const batchOf = new Map(rows.map(({ id, batchId }) => [id, batchId]))
  return (await findRemovals(reader, [...batchOf.keys()])).flatMap((removal) => {
    const batchId = batchOf.get(removal.id)
    return batchId === undefined ? [] : [{ removal, batchId }]
  })
}
