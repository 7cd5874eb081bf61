import { defineEntity, p } from '@mikro-orm/core'
import { batchEntity } from './batch-entity.ts'

/**
 * The pieces of a batch in the order that was signed. `copy_id` has no foreign key: signed items outlive their copies. `released_at`: since
 * then another attempt stores the copy; `price_list`: of that time.
 */
export const batchItemEntity = defineEntity({
  name: 'CommitItem',
  tableName: 'commit_items',
  properties: {
    batch_id: () => p.manyToOne(batchEntity).fieldName('batch_id').mapToPk().primary(),
    ordinal: p.integer().primary(),
    copy_id: p.bigint('number'),
    piece_cid: p.text(),
    released_at: p.bigint('number').nullable(),
    price_list: p.text().nullable(),
  },
})
