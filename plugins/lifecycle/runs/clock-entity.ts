import { defineEntity, p } from '@mikro-orm/core'

/** One row: the clock of the machine as it was last seen. */
export const lifecycleClockEntity = defineEntity({
  name: 'LifecycleClock',
  tableName: 'lifecycle_clock',
  properties: { id: p.integer().primary().autoincrement(false), seen_at: p.bigint('number'), rests_until: p.bigint('number') },
})
