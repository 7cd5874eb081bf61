import { defineEntity, p } from '@mikro-orm/core'
import { bucketEntity } from './bucket-entity.ts'

/** `deleting`: the last version is gone, and copies or cached bytes may still exist. */
type ContentState = 'live' | 'deleting'

/** `stored`: it has its target of durable copies. `lost`: it has versions, and neither cached bytes nor a readable copy. */
export type StoreState = 'unstored' | 'storing' | 'failed' | 'stored' | 'lost'

/**
 * Leaf content: bytes that are cached and copied, at most one piece. Composite content: an ordered list of `part_count` leaf contents,
 * without bytes of its own. Empty content: size 0, without bytes. Pack: a leaf content with the bytes of its members, other leaf contents.
 * `ref_count`: versions. `hold_count`: places in composites and in unfinished uploads, and one for a pack. Ids are never reused: a task may
 * outlive its content and must not affect another one.
 */
export const contentEntity = defineEntity({
  name: 'Content',
  tableName: 'contents',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    bucket_id: () => p.manyToOne(bucketEntity).fieldName('bucket_id').mapToPk(),
    identity: p.text(),
    size: p.bigint('number'),
    sha256: p.text().nullable(),
    state: p.text().$type<ContentState>().default('live'),
    ref_count: p.integer(),
    target_copies: p.integer(),
    durable_copies: p.integer().default(0),
    readable_copies: p.integer().default(0),
    store_state: p.text().$type<StoreState>().default('unstored'),
    created_at: p.bigint('number'),
    updated_at: p.bigint('number'),
    current_count: p.bigint('number').default(0),
    part_count: p.integer().default(0),
    hold_count: p.integer().default(0),
  },
})
