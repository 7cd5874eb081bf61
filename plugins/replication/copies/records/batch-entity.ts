import { defineEntity, p } from '@mikro-orm/core'
import { dataSetEntity } from '../../datasets/data-set-entity.ts'
import type { BatchState } from '../../states/tables/batch-transitions-policy.ts'
import type { AttentionCode } from '../../submissions/attention-policy.ts'

/** Pieces that one transaction adds to a data set. Never deleted. */
export const batchEntity = defineEntity({
  name: 'CommitBatch',
  tableName: 'commit_batches',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    data_set_id: () => p.manyToOne(dataSetEntity).fieldName('data_set_id').mapToPk(),
    method: p.text().$type<'store' | 'pull'>(),
    state: p.text().$type<BatchState>(),
    nonce: p.text().unique(),
    extra_data: p.text(),
    tx_hash: p.text().nullable(),
    first_submitted_at: p.bigint('number').nullable(),
    /** Null: nothing was sent, or the chain had its piece without a record. */
    submit_started_at: p.bigint('number').nullable(),
    next_check_at: p.bigint('number').default(0),
    checks: p.integer().default(0),
    sender_nonce: p.bigint('number').nullable(),
    attention_at: p.bigint('number').nullable(),
    attention_code: p.text().$type<AttentionCode>().nullable(),
    reason_code: p.text().nullable(),
    last_error: p.text().nullable(),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    next_piece_id: p.text().nullable(),
    landed_epoch: p.bigint('number').nullable(),
    final_at: p.bigint('number').nullable(),
    attempt_number: p.integer().default(1),
    /** 0: recorded before its number of pieces was stored; its metadata lists have it. */
    piece_count: p.integer().default(0),
    price_list: p.text().nullable(),
  },
})
