import { defineEntity, p } from '@mikro-orm/core'
import type { RepairSignal } from './signal-policy.ts'

/** One decision of the automatic repair, or one report of lost contents. Kept as a record, so it has no foreign keys. */
export const repairDecisionEntity = defineEntity({
  name: 'RepairDecision',
  tableName: 'repair_decisions',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    at: p.bigint('number'),
    action: p.text().$type<'replaced' | 'refused' | 'left_alone' | 'loss'>(),
    signal: p.text().$type<RepairSignal>(),
    reason: p.text(),
    message: p.text(),
    provider_id: p.text(),
    bucket_id: p.bigint('number'),
    bucket_name: p.text(),
    data_set_id: p.bigint('number'),
    slot: p.integer(),
    since: p.bigint('number'),
    replacement_id: p.bigint('number').nullable(),
    /** Decimal text in 10^-18 USDFC. */
    fee: p.text().nullable(),
    lost_contents: p.bigint('number').nullable(),
    lost_versions: p.bigint('number').nullable(),
    lost_bytes: p.text().nullable(),
  },
})
