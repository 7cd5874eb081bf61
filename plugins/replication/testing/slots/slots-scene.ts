/** Replica slots over rows and a real queue of tasks, for plugins that move slots. */
import type { TaskQueue } from '#kernel'
import type { ReplicaSlots } from '../../contract.ts'
import { createSchedule } from '../../schedule.ts'
import { createReplicaSlots } from '../../slots/replica-slots.ts'
import { taskKeys } from '../../task-keys.ts'
import type { TestPipeline } from '../test-pipeline.ts'

export { taskKeys }

/** The tasks of the pipeline become rows from then on, and none of them runs. */
export function slotsOver(pipeline: TestPipeline, queue: TaskQueue): ReplicaSlots {
  Object.assign(pipeline, { schedule: createSchedule(queue) })
  return createReplicaSlots(pipeline)
}
