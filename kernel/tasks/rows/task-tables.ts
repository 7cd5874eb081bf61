import type { TablesOf } from '../../db/statement.ts'
import type { clockMarkEntity } from './clock-mark-entity.ts'
import type { failureClockEntity } from './failure-clock-entity.ts'
import type { taskCountEntity } from './task-count-entity.ts'
import type { taskEntity } from './task-entity.ts'

/** The tables of background tasks, for `statementsOver<TaskTables>()`. */
export type TaskTables = TablesOf<typeof taskEntity | typeof taskCountEntity | typeof failureClockEntity | typeof clockMarkEntity>
