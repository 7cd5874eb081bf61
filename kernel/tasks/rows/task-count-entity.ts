import { defineEntity, p } from '@mikro-orm/core'
import type { TaskStatus } from '../task-record.ts'

/** Counted in the transactions that change tasks, so that no page ever counts the table. */
export const taskCountEntity = defineEntity({
  name: 'TaskCount',
  tableName: 'task_counts',
  properties: {
    kind: p.text().primary(),
    status: p.text().$type<TaskStatus>().primary(),
    acknowledged: p.integer().primary(),
    n: p.integer(),
  },
})
