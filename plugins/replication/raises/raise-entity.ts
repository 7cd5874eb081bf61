import { defineEntity, p } from '@mikro-orm/core'

/** raising: targets are being raised · copying: the copies are being made · completed: every content has them. */
export type RaiseStatus = 'raising' | 'copying' | 'completed'

/** An operator's request to bring the contents of a bucket up to its present target. Deleted with the bucket. */
export const raiseEntity = defineEntity({
  name: 'CopyRaise',
  tableName: 'copy_raises',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    bucket_id: p.bigint('number'),
    client_request_id: p.text(),
    target_copies: p.integer(),
    status: p.text().$type<RaiseStatus>(),
    /** Contents up to this id were raised. */
    raised_to: p.bigint('number'),
    /** Later contents have the present target already. */
    until_content: p.bigint('number'),
    /** Raised so far: contents, their added copies and the bytes of these. */
    contents: p.bigint('number'),
    copies: p.bigint('number'),
    bytes: p.bigint('number'),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    finished_at: p.bigint('number').nullable(),
  },
})
