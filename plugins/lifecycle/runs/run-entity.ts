import { defineEntity, p } from '@mikro-orm/core'

/** The latest run of the rules of a bucket. Has no foreign key to the bucket: the row goes when it is deleted, before its own row does. */
export const lifecycleRunEntity = defineEntity({
  name: 'LifecycleRun',
  tableName: 'lifecycle_runs',
  properties: {
    bucket_id: p.bigint('number').primary().autoincrement(false),
    /** What expires until then is deleted. */
    due_at: p.bigint('number'),
    phase: p.text().$type<'versions' | 'uploads' | 'ended'>(),
    /** Number of the prefix that is walked, of those of the rules. */
    prefix_at: p.integer(),
    /** The keys of the prefix up to this one are done; empty: none. */
    after_key: p.text(),
    marked: p.bigint('number'),
    removed: p.bigint('number'),
    markers_removed: p.bigint('number'),
    aborted: p.bigint('number'),
    started_at: p.bigint('number'),
    ended_at: p.bigint('number').nullable(),
  },
})
