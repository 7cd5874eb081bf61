import { defineEntity, p } from '@mikro-orm/core'
import { contentEntity, type StoreState } from './content-entity.ts'

/** A place of a content in a composite content. State and copies are those of the part; a trigger keeps them. */
export const contentPartEntity = defineEntity({
  name: 'ContentPart',
  tableName: 'content_parts',
  properties: {
    content_id: () => p.manyToOne(contentEntity).fieldName('content_id').mapToPk().primary(),
    part_no: p.integer().primary(),
    part_content_id: () => p.manyToOne(contentEntity).fieldName('part_content_id').mapToPk(),
    offset_bytes: p.bigint('number'),
    length: p.bigint('number'),
    store_state: p.text().$type<StoreState>(),
    durable_copies: p.integer(),
    readable_copies: p.integer(),
  },
})
