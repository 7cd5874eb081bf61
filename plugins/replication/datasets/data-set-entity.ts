import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from '../../storage/entities.ts'
import type { DataSetState } from '../states/tables/data-set-transitions-policy.ts'

/** Generations of replica slots. They are deleted only with their bucket. Numbers of the chain are decimal text. */
export const dataSetEntity = defineEntity({
  name: 'DataSet',
  tableName: 'data_sets',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk(),
    slot: p.integer(),
    generation: p.integer(),
    provider_id: p.text(),
    provider_address: p.text(),
    payee: p.text(),
    service_url: p.text(),
    client_data_set_id: p.text().unique(),
    chain_id: p.text().nullable().unique(),
    state: p.text().$type<DataSetState>(),
    create_extra_data: p.text().nullable(),
    create_price_list: p.text().nullable(),
    create_tx: p.text().nullable(),
    create_started_at: p.bigint('number').nullable(),
    create_sender_nonce: p.bigint('number').nullable(),
    gone_seen_at: p.bigint('number').nullable(),
    last_error_code: p.text().nullable(),
    last_error: p.text().nullable(),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    landed_epoch: p.bigint('number').nullable(),
    final_at: p.bigint('number').nullable(),
    next_look_at: p.bigint('number').default(0),
    looks: p.integer().default(0),
    refusals: p.integer().default(0),
    writes_paused_until: p.bigint('number').nullable(),
    pulls_throttled_until: p.bigint('number').nullable(),
    create_offered_at: p.bigint('number').nullable(),
    piece_bytes_max: p.bigint('number').default(1_065_353_216),
    /** Why svc chose its provider; null when an operator did. */
    chosen_reason: p.text().nullable(),
    chosen_detail: p.text().nullable(),
  },
})
