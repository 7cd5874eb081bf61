import type { Reader } from '#kernel'
import { findRemovals, type Removal } from './removal-store.ts'

const pendingBatches = (finality: 'is null' | 'is not null') => `select r.id, b.id as batchId from removals r
  join copies c on c.id = r.copy_id join commit_batches b on b.id = c.batch_id
  where r.data_set_id = ? and r.state = 'pending' and b.state = 'confirmed' and b.final_at ${finality}`

/** Landed batches, not final yet, with pieces that wait for their removal. */
export function unfinalBatchesToRemoveFrom(reader: Reader, dataSetId: number, limit: number): readonly number[] {
  return reader
    .all<{ id: number }>(`select distinct batchId as id from (${pendingBatches('is null')}) order by batchId limit ?`, dataSetId, limit)
    .map(({ id }) => id)
}

export interface RemovableRemoval {
  readonly removal: Removal
  readonly batchId: number
}

/** Removals not asked for yet whose pieces are final on chain, oldest first. With what waits for the retry of this task, after the others. */
export function removableRemovals(
  reader: Reader,
  { dataSetId, taskId }: { readonly dataSetId: number; readonly taskId: number },
  limit: number,
): readonly RemovableRemoval[] {
  const find = (isWanted: string, ...params: readonly number[]) =>
    reader.all<{ id: number; batchId: number }>(
      `${pendingBatches('is not null')} and r.state not in ('removed', 'moot') and r.withheld_task_id ${isWanted} order by r.id limit ?`,
      dataSetId,
      ...params,
    )
  const free = find('is null', limit)
  const rows = [...free, ...find('= ?', taskId, limit - free.length)]
  const batchOf = new Map(rows.map(({ id, batchId }) => [id, batchId]))
  return findRemovals(reader, [...batchOf.keys()]).flatMap((removal) => {
    const batchId = batchOf.get(removal.id)
    return batchId === undefined ? [] : [{ removal, batchId }]
  })
}
