import { defineEntity, p } from '@mikro-orm/core'

export const clockMarkEntity = defineEntity({
  name: 'ClockMark',
  tableName: 'clock_mark',
  properties: { id: p.integer().primary().autoincrement(false), at: p.bigint('number') },
})
