import { defineEntity, p } from '@mikro-orm/core'
import { dataSetEntity } from '../datasets/data-set-entity.ts'

/** Signed requests for removals. Deleted only with their bucket. */
export const removalAttemptEntity = defineEntity({
  name: 'RemovalAttempt',
  tableName: 'removal_attempts',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    data_set_id: () => p.manyToOne(dataSetEntity).fieldName('data_set_id').mapToPk(),
    extra_data: p.text(),
    tx_hash: p.text().nullable(),
    started_at: p.bigint('number'),
    sender_nonce: p.bigint('number').nullable(),
    checks: p.integer().default(0),
    attention_task_id: p.bigint('number').nullable(),
    last_error: p.text().nullable(),
    updated_at: p.bigint('number'),
    price_list: p.text().nullable(),
  },
})
