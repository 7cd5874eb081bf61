import { defineEntity, p } from '@mikro-orm/core'
import type { ReplacementMode, ReplacementOrigin } from '../contract/records.ts'
import type { ReplacementPhase, ReplacementStatus } from '../states/replacement-transitions-policy.ts'

/** Replacements of data sets, one per confirmation. Buckets and data sets are named by their ids; the rows of a deleted bucket are deleted. */
export const replacementEntity = defineEntity({
  name: 'Replacement',
  tableName: 'replacements',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    bucket_id: p.bigint('number'),
    slot: p.integer(),
    origin: p.text().$type<ReplacementOrigin>(),
    mode: p.text().$type<ReplacementMode>(),
    client_request_id: p.text().unique(),
    requested_provider_id: p.text().nullable(),
    source_id: p.bigint('number'),
    target_id: p.bigint('number'),
    provider_id: p.text(),
    status: p.text().$type<ReplacementStatus>(),
    phase: p.text().$type<ReplacementPhase>(),
    wait_reason: p.text().nullable(),
    wait_message: p.text().nullable(),
    last_error: p.text().nullable(),
    failure_reason: p.text().nullable(),
    superseded_by_id: p.bigint('number').nullable(),
    taken_over_at: p.bigint('number').nullable(),
    termination_epoch: p.text().nullable(),
    /** The data set whose contents become items now: the slot may have several that are not ended. Null: the oldest. */
    seeding_id: p.bigint('number').nullable(),
    /** Its contents up to this id are items. */
    seeded_to: p.bigint('number').default(0),
    is_seeded: p.integer().default(0),
    /** Items up to this id were looked at in the present round. */
    swept_to: p.bigint('number').default(0),
    /** Counts of an ended replacement, whose items are deleted. */
    items_total: p.bigint('number').default(0),
    items_copied: p.bigint('number').default(0),
    items_no_longer_needed: p.bigint('number').default(0),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    finished_at: p.bigint('number').nullable(),
  },
})
