import { defineEntity, p } from '@mikro-orm/core'
import { batchEntity } from '../copies/records/batch-entity.ts'
import { dataSetEntity } from '../datasets/data-set-entity.ts'
import { removalAttemptEntity } from './removal-attempt-entity.ts'

/**
 * pending: not requested · submitting: attempt recorded, outcome open · submitted: the provider returned a transaction hash ·
 * uncertain: only the chain shows the outcome · scheduled: queued on chain, takes effect in the next proving period · removed ·
 * data_set_ended: closed without removal, because the data set ended or a reorganisation undid the addition of the piece.
 */
export type RemovalState = 'pending' | 'submitting' | 'submitted' | 'uncertain' | 'scheduled' | 'removed' | 'data_set_ended'

/**
 * One per committed copy of a deleted content, and per surplus piece: a batch landed with it after another one had committed its copy
 * (`surplus_batch_id`; `copy_id` is null). Kept as a record, so `copy_id` and `content_id` have no foreign keys.
 */
export const removalEntity = defineEntity({
  name: 'Removal',
  tableName: 'removals',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    data_set_id: () => p.manyToOne(dataSetEntity).fieldName('data_set_id').mapToPk(),
    chain_piece_id: p.text(),
    copy_id: p.bigint('number').nullable(),
    content_id: p.bigint('number'),
    state: p.text().$type<RemovalState>(),
    attempt_id: () => p.manyToOne(removalAttemptEntity).fieldName('attempt_id').mapToPk().nullable().deleteRule('no action'),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    piece_cid: p.text().nullable(),
    withheld_task_id: p.bigint('number').nullable(),
    surplus_batch_id: () => p.manyToOne(batchEntity).fieldName('surplus_batch_id').mapToPk().nullable().deleteRule('no action'),
  },
})
