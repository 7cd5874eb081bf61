import { defineEntity, p } from '@mikro-orm/core'

/** A copy that was read as a whole. It has no foreign keys: samples outlive their copies. */
export const copySampleEntity = defineEntity({
  name: 'CopySample',
  tableName: 'copy_samples',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    at: p.bigint('number'),
    copy_id: p.bigint('number'),
    data_set_id: p.bigint('number'),
    provider_id: p.text(),
    piece_cid: p.text(),
    result: p.text().$type<'intact' | 'missing' | 'wrong_bytes' | 'unreachable'>(),
    bytes: p.bigint('number'),
    message: p.text().nullable(),
    /** It was in doubt when it was read. */
    of_doubt: p.integer().default(0),
  },
})
