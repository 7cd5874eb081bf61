import { defineEntity, p } from '@mikro-orm/core'

/** The check of a share of all copies that an operator requested; only the last one is kept. */
export const sampleRunEntity = defineEntity({
  name: 'SampleRun',
  tableName: 'sample_runs',
  properties: {
    task_id: p.bigint('number').primary().autoincrement(false),
    per_million: p.bigint('number'),
    planned: p.bigint('number'),
    /** Copies up to this id are done: a run that was interrupted continues there. */
    after_copy: p.bigint('number').default(0),
    copies: p.bigint('number').default(0),
    bytes: p.bigint('number').default(0),
    intact: p.bigint('number').default(0),
    missing: p.bigint('number').default(0),
    wrong_bytes: p.bigint('number').default(0),
    unreachable: p.bigint('number').default(0),
    started_at: p.bigint('number'),
    finished_at: p.bigint('number').nullable(),
  },
})
