import { defineEntity, p } from '@mikro-orm/core'

/** Work that was enqueued again because no task worked on it. */
export const resumptionEntity = defineEntity({
  name: 'Resumption',
  tableName: 'resumptions',
  properties: {
    /** Key of the task. */
    work: p.text().primary(),
    tries: p.integer(),
    next_at: p.bigint('number'),
  },
})
