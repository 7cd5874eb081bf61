import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'
import type { StoredSum } from './stored-policy.ts'

type OfBucket<P = Record<never, never>> = Params<P & { bucketId: number }>

/** Contents with pieces of their own. Parts of composites are left alone: they are large, but for the last one. */
const isCandidate = `c.bucket_id = :bucketId and c.part_count = 0 and c.id > :after and c.state = 'live' and c.hold_count = 0 and c.ref_count > 0
  and c.size > 0 and c.size <= :bytesMax and c.sha256 is not null and c.store_state = 'stored'
  and not exists (select 1 from pack_members m where m.content_id = c.id)
  and not exists (select 1 from waiting_members w where w.content_id = c.id)
  and not exists (select 1 from content_parts p where p.part_content_id = c.id)
  and not exists (select 1 from pack_moves v where v.content_id = c.id)
  and not exists (select 1 from cache_entries e where e.content_id = c.id and e.awaits_proof = 1)`

interface Range {
  readonly bucketId: number
  readonly after: number
  readonly bytesMax: number
}

const sum = sqlStatement<Range, StoredSum>(
  `select count(*) as contents, cast(coalesce(sum(c.size), 0) as bigint) as bytes, coalesce(max(c.target_copies), 0) as copies
   from contents c where ${isCandidate}`,
)

export interface StoredContent {
  readonly contentId: number
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
  readonly targetCopies: number
}

const page = sqlStatement<Range & { limit: number }, StoredContent>(
  `select c.id as "contentId", c.size, c.sha256, c.target_copies as "targetCopies" from contents c where ${isCandidate} order by c.id limit :limit`,
)

const findAsked = statement((db, { bucketId }: OfBucket) =>
  db
    .selectFrom('asked_packings')
    .select(['asked_at as askedAtMs', 'after_id as after', 'contents', 'packed', 'left_out as leftOut'])
    .where('bucket_id', '=', bucketId),
)

const add = statement((db, { bucketId, contents, nowMs }: OfBucket<{ contents: number; nowMs: number }>) =>
  db
    .insertInto('asked_packings')
    .values({ bucket_id: bucketId, asked_at: nowMs, contents, after_id: 0, packed: 0, left_out: 0 })
    .onConflict((conflict) => conflict.column('bucket_id').doNothing()),
)

const advance = statement((db, { bucketId, after, leftOut }: OfBucket<{ after: number; leftOut: number }>) =>
  db
    .updateTable('asked_packings')
    .set((row) => ({ after_id: after, left_out: row('left_out', '+', leftOut) }))
    .where('bucket_id', '=', bucketId),
)

const drop = statement((db, { bucketId }: OfBucket) => db.deleteFrom('asked_packings').where('bucket_id', '=', bucketId))

const findBuckets = sqlStatement<object, { bucketId: number; bucket: string }>(
  `select b.id as "bucketId", b.name as bucket from asked_packings a join buckets b on b.id = a.bucket_id where b.deleted_at is null`,
)

interface AskedPacking {
  readonly askedAtMs: number
  readonly after: number
  readonly contents: number
  readonly packed: number
  readonly leftOut: number
}

/** Contents of the bucket that could be packed. Reads each content of the bucket. */
export async function sumStored(read: Reader, range: Omit<Range, 'after'>): Promise<StoredSum> {
  const { contents = 0, bytes = 0, copies = 0 } = (await read.get(sum, { ...range, after: 0 })) ?? {}
  return { contents: Number(contents), bytes, copies: Number(copies) }
}

/** Contents in the order of their id. */
export const pageOfStored = (read: Reader, range: Range & { readonly limit: number }): Promise<readonly StoredContent[]> =>
  read.all(page, range)

export const findAskedPacking = (read: Reader, bucketId: number): Promise<AskedPacking | undefined> => read.get(findAsked, { bucketId })

/** A request that is under way continues. */
export async function askToPack(
  tx: Tx,
  asked: { readonly bucketId: number; readonly contents: number; readonly nowMs: number },
): Promise<void> {
  await tx.run(add, asked)
}

/** Contents up to this id are in a pack that is being stored, or were left out. */
export async function advanceTo(
  tx: Tx,
  place: { readonly bucketId: number; readonly after: number; readonly leftOut: number },
): Promise<void> {
  await tx.run(advance, place)
}

export async function forgetAskedPacking(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(drop, { bucketId })
}

/** Buckets whose stored contents are being packed. */
export const bucketsToPack = (read: Reader): Promise<readonly { readonly bucketId: number; readonly bucket: string }[]> =>
  read.all(findBuckets, {})
