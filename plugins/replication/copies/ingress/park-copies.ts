import { defineProbe, type Tx } from '#kernel'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { recountContents } from '../../holdings/recount-contents.ts'
import type { Pipeline } from '../../pipeline.ts'
import { dataSetsLacking, parkUploadedCopies } from './uploaded-store.ts'

export type ParkCopiesDeps = Pick<Pipeline, 'database' | 'schedule' | 'clock' | 'pace' | 'progressed' | 'contents'>

const parked = defineProbe('storage.store.parked')

/**
 * The provider serves the pieces of these uploaded copies: schedules their transaction, and the pulls of the other copies. `settle` gets
 * the contents in the same transaction.
 */
export async function parkCopies(
  deps: ParkCopiesDeps,
  { id: dataSetId }: Pick<DataSet, 'id'>,
  copyIds: readonly number[],
  settle: (tx: Tx, contentIds: readonly number[]) => Promise<void> = async () => {},
): Promise<void> {
  const { database, clock, pace, schedule } = deps
  const nowMs = clock.now()
  const soonMs = nowMs + pace.batchingWindowMs
  await database.write(async (tx) => {
    const contentIds = await parkUploadedCopies(tx, copyIds, nowMs)
    if (contentIds.length === 0) return
    await recountContents(deps, tx, contentIds, nowMs)
    await schedule.commit(tx, dataSetId, soonMs)
    for (const lackingId of await dataSetsLacking(tx, contentIds)) await schedule.pull(tx, lackingId, soonMs)
    await settle(tx, contentIds)
  })
  deps.progressed()
  await parked()
}
