import { type Params, type Reader, sqlStatement } from '#kernel'
import { statement } from '../tables.ts'

export interface PackRow {
  readonly id: number
  readonly bucket: string
  readonly size: number
  readonly state: 'unstored' | 'storing' | 'failed' | 'stored' | 'lost'
  readonly durableCopies: number
  readonly targetCopies: number
  readonly members: number
  readonly livingBytes: number
  readonly versions: number
  readonly createdAtMs: number
}

interface Range {
  readonly before: number
  readonly limit: number
}

const columns = [
  'p.content_id as id',
  'b.name as bucket',
  'c.size',
  'c.store_state as state',
  'c.durable_copies as durableCopies',
  'c.target_copies as targetCopies',
  'p.members',
  'p.living_bytes as livingBytes',
  'p.versions',
  'p.created_at as createdAtMs',
] as const

const page = statement((db, { before, limit }: Params<Range>) =>
  db
    .selectFrom('packs as p')
    .innerJoin('contents as c', 'c.id', 'p.content_id')
    .innerJoin('buckets as b', 'b.id', 'p.bucket_id')
    .select(columns)
    .where('p.content_id', '<', before)
    .orderBy('p.content_id', 'desc')
    .limit(limit),
)

const pageOfBucket = statement((db, { bucketId, before, limit }: Params<Range & { bucketId: number }>) =>
  db
    .selectFrom('packs as p')
    .innerJoin('contents as c', 'c.id', 'p.content_id')
    .innerJoin('buckets as b', 'b.id', 'p.bucket_id')
    .select(columns)
    .where('p.bucket_id', '=', bucketId)
    .where('p.content_id', '<', before)
    .orderBy('p.content_id', 'desc')
    .limit(limit),
)

const find = statement((db, { id }: Params<{ id: number }>) =>
  db
    .selectFrom('packs as p')
    .innerJoin('contents as c', 'c.id', 'p.content_id')
    .innerJoin('buckets as b', 'b.id', 'p.bucket_id')
    .select(columns)
    .where('p.content_id', '=', id),
)

interface MemberRow {
  readonly contentId: number
  readonly offset: number
  readonly length: number
  readonly key: string
}

const findMembers = sqlStatement<{ id: number; limit: number }, MemberRow>(
  `select m.content_id as "contentId", m.offset_bytes as "offset", m.length,
     coalesce((select min(v.key) from object_versions v where v.content_id = m.content_id), '') as key
   from pack_members m where m.pack_id = :id order by m.offset_bytes limit :limit`,
)

/** Newest first; without a bucket, those of all buckets. */
export const pageOfPacks = (read: Reader, bucketId: number | undefined, range: Range): Promise<readonly PackRow[]> =>
  bucketId === undefined ? read.all(page, range) : read.all(pageOfBucket, { ...range, bucketId })

export const findPack = (read: Reader, id: number): Promise<PackRow | undefined> => read.get(find, { id })

/** Members in the order of their bytes. */
export const membersOf = (read: Reader, id: number, limit: number): Promise<readonly MemberRow[]> => read.all(findMembers, { id, limit })
