import { defineEntity, p } from '@mikro-orm/core'
import { contentEntity } from '../../../storage/entities.ts'
import { dataSetEntity } from '../../datasets/data-set-entity.ts'
import type { CopyState } from '../../states/tables/copy-transitions-policy.ts'
import { batchEntity } from './batch-entity.ts'
import { pieceEntity } from './piece-entity.ts'

export const copyEntity = defineEntity({
  name: 'Copy',
  tableName: 'copies',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    piece_id: () => p.manyToOne(pieceEntity).fieldName('piece_id').mapToPk(),
    content_id: () => p.manyToOne(contentEntity).fieldName('content_id').mapToPk(),
    data_set_id: () => p.manyToOne(dataSetEntity).fieldName('data_set_id').mapToPk(),
    slot: p.integer(),
    state: p.text().$type<CopyState>(),
    method: p.text().$type<'store' | 'pull'>(),
    chain_piece_id: p.text().nullable(),
    uploaded_at: p.bigint('number').nullable(),
    parked_at: p.bigint('number').nullable(),
    setbacks: p.integer().default(0),
    next_attempt_at: p.bigint('number').default(0),
    batch_id: () => p.manyToOne(batchEntity).fieldName('batch_id').mapToPk().nullable().deleteRule('no action'),
    last_error_code: p.text().nullable(),
    last_error: p.text().nullable(),
    committed_at: p.bigint('number').nullable(),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
  },
})
