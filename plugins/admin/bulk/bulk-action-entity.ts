import { defineEntity, p } from '@mikro-orm/core'

export type BulkActionName = 'move_to_trash' | 'restore' | 'delete_permanently' | 'delete_bucket'

/** running · completed: everything was done or skipped · stopped: by an operator · incomplete: `problem` says why the rest was not done. */
export type BulkStatus = 'running' | 'completed' | 'stopped' | 'incomplete'

/** An operator's request to change many objects of a bucket. It outlives its bucket, so it has no foreign key. */
export const bulkActionEntity = defineEntity({
  name: 'BulkAction',
  tableName: 'bulk_actions',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    bucket_id: p.bigint('number'),
    bucket: p.text(),
    client_request_id: p.text(),
    action: p.text().$type<BulkActionName>(),
    /** JSON of keys and prefixes. */
    targets: p.text(),
    status: p.text().$type<BulkStatus>(),
    /** The target that is worked on, and the last key of it that was looked at. */
    target_at: p.integer(),
    after_key: p.text(),
    /** Counted at the request. */
    total: p.bigint('number'),
    done: p.bigint('number'),
    /** Changed since the request. */
    skipped: p.bigint('number'),
    /** Copies of them are being made: they are tried again. */
    busy: p.bigint('number'),
    problem: p.text().nullable(),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    finished_at: p.bigint('number').nullable(),
  },
})
