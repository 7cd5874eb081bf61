import { defineEntity, p } from '@mikro-orm/core'
import { dataSetEntity } from '../datasets/data-set-entity.ts'
import { removalAttemptEntity } from './removal-attempt-entity.ts'
import type { RemovalState } from './removal-store.ts'

/** One per committed copy of a deleted content. Kept as a record, so `copy_id` and `content_id` have no foreign keys. */
export const removalEntity = defineEntity({
  name: 'Removal',
  tableName: 'removals',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    data_set_id: () => p.manyToOne(dataSetEntity).fieldName('data_set_id').mapToPk(),
    chain_piece_id: p.text(),
    copy_id: p.bigint('number'),
    content_id: p.bigint('number'),
    state: p.text().$type<RemovalState>(),
    attempt_id: () => p.manyToOne(removalAttemptEntity).fieldName('attempt_id').mapToPk().nullable().deleteRule('no action'),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    piece_cid: p.text().nullable(),
    withheld_task_id: p.bigint('number').nullable(),
  },
})
