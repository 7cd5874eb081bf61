import { defineEntity, p } from '@mikro-orm/core'

export const failureClockEntity = defineEntity({
  name: 'FailureClock',
  tableName: 'task_failure_clock',
  properties: { id: p.integer().primary().autoincrement(false), at: p.bigint('number') },
})
