/** The tasks that work on a data set, for a plugin that moves its slot. */
import type { ReplicaSlots } from '../contract.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import type { Pipeline } from '../pipeline.ts'
import type { StateSchedule } from '../states/copy-states.ts'
import { mustEnd } from '../states/follow-store.ts'
import { taskKeys } from '../task-keys.ts'
import { workOfTasks, workOnDataSet } from './slot-work-store.ts'

type SlotTaskDeps = Pick<Pipeline, 'clock' | 'providers'> & {
  readonly schedule: Pick<StateSchedule, 'end' | 'ensure'>
}

export function slotTasks({ clock, providers, schedule }: SlotTaskDeps): Pick<ReplicaSlots, 'work' | 'resume' | 'workOn'> {
  return {
    workOn: (read, copies) => workOnDataSet(read, { ...copies, nowMs: clock.now() }),

    async work(read, dataSetId) {
      const dataSet = await findDataSet(read, dataSetId)
      if (!dataSet) return { kind: 'stopped', reason: null, message: null }
      if (await mustEnd(read, dataSetId)) return workOfTasks(read, [taskKeys.end(dataSetId)])
      if (isBeingCreated(dataSet)) return workOfTasks(read, [taskKeys.ensure(dataSetId)])
      if (providers.turns.isUnresponsive(dataSet.serviceUrl))
        return { kind: 'waiting', reason: 'provider', message: 'the provider does not answer' }
      return workOfTasks(read, [taskKeys.commit(dataSetId), taskKeys.pull(dataSetId)])
    },

    async resume(tx, dataSetId) {
      const dataSet = await findDataSet(tx, dataSetId)
      if (!dataSet) return
      if (await mustEnd(tx, dataSetId)) await schedule.end(tx, dataSetId)
      else if (isBeingCreated(dataSet)) await schedule.ensure(tx, dataSetId)
    },
  }
}

const isBeingCreated = ({ state }: DataSet): boolean => state === 'planned' || state === 'creating'
