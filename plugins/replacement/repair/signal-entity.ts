import { defineEntity, p } from '@mikro-orm/core'
import type { RepairSignal } from './signal-policy.ts'

/** A current data set with something wrong. The row is deleted when it is fine. */
export const repairSignalEntity = defineEntity({
  name: 'RepairSignal',
  tableName: 'repair_signals',
  properties: {
    data_set_id: p.bigint('number').primary().autoincrement(false),
    signal: p.text().$type<RepairSignal>(),
    /** Since when it was seen in every round. */
    since: p.bigint('number'),
    seen_at: p.bigint('number'),
    /** No decision before this time. */
    next_at: p.bigint('number').default(0),
    /** Reason of the last decision: the same one is not recorded twice. */
    last_reason: p.text().nullable(),
    /** Contents whose loss was reported, and when losses were counted. */
    lost_contents: p.bigint('number').default(0),
    losses_at: p.bigint('number').default(0),
  },
})
