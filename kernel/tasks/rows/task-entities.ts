import { clockMarkEntity } from './clock-mark-entity.ts'
import { failureClockEntity } from './failure-clock-entity.ts'
import { taskCountEntity } from './task-count-entity.ts'
import { taskEntity } from './task-entity.ts'

/** For the check of entities; statements need only their types. */
export const taskEntities = [taskEntity, taskCountEntity, failureClockEntity, clockMarkEntity] as const
