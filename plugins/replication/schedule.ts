import type { TaskQueue, Tx } from '#kernel'
import { commitTask } from './copies/batches/commit-task.ts'
import { storingReason } from './copies/ingress/await-parking.ts'
import { parkTask } from './copies/ingress/park-task.ts'
import { storeTask } from './copies/placing/store-task.ts'
import { pullTask } from './copies/pulls/pull-task.ts'
import { ensureDataSetTask } from './datasets/ensure-data-set-task.ts'
import { endDataSetTask } from './endings/end-data-set-task.ts'
import { verifyLandingsTask } from './finality/verify-landings-task.ts'
import type { Schedule } from './pipeline.ts'
import { cleanupTask } from './removals/cleanup-task.ts'
import { countAgainTask } from './standing/count-again-task.ts'
import { taskKeys } from './task-keys.ts'

/** One task per content to store; one per data set to create, park at, pull into, commit to and remove from. */
export function createSchedule(queue: Pick<TaskQueue, 'add' | 'endWaits' | 'openKeys'>): Schedule {
  const at = (key: string, runAtMs: number | undefined) => (runAtMs === undefined ? { key } : { key, runAtMs })
  const store = async (tx: Tx, contentId: number) =>
    void (await queue.add(tx, storeTask, { contentId }, { key: taskKeys.store(contentId) }))
  return {
    store,
    async endStores(tx, contentIds) {
      const keys = contentIds.map(taskKeys.store)
      await queue.endWaits(tx, storeTask, keys, storingReason)
      const open = await queue.openKeys(tx, keys)
      for (const contentId of contentIds) if (open.has(taskKeys.store(contentId))) await store(tx, contentId)
    },
    ensure: async (tx, dataSetId) => void (await queue.add(tx, ensureDataSetTask, { dataSetId }, { key: taskKeys.ensure(dataSetId) })),
    park: async (tx, dataSetId, atMs) => void (await queue.add(tx, parkTask, { dataSetId }, at(taskKeys.park(dataSetId), atMs))),
    pull: async (tx, dataSetId, atMs) => void (await queue.add(tx, pullTask, { dataSetId }, at(taskKeys.pull(dataSetId), atMs))),
    commit: async (tx, dataSetId, atMs) => void (await queue.add(tx, commitTask, { dataSetId }, at(taskKeys.commit(dataSetId), atMs))),
    end: async (tx, dataSetId) => void (await queue.add(tx, endDataSetTask, { dataSetId }, { key: taskKeys.end(dataSetId) })),
    standing: async (tx, dataSetId) =>
      void (await queue.add(tx, countAgainTask, { dataSetId }, at(taskKeys.standing(dataSetId), undefined))),
    verifyLandings: async (tx, atMs) => void (await queue.add(tx, verifyLandingsTask, {}, at(taskKeys.finality, atMs))),
    cleanup: (tx, dataSetId, atMs) => queue.add(tx, cleanupTask, { dataSetId }, at(taskKeys.cleanup(dataSetId), atMs)),
  }
}
