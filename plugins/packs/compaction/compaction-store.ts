import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { PlacedMember } from '#plugins/storage'
import { statement } from '../tables.ts'
import type { CompactablePack } from './compaction-policy.ts'

type OfBucket = { readonly bucketId: number }

/** Candidates that are looked at: those with the largest share of bytes that are no members. */
const candidatesMax = 200

const findCandidates = sqlStatement<OfBucket, Omit<CompactablePack, 'isAsked'> & { readonly isAsked: number }>(
  `select p.content_id as id, c.size, p.members, p.living_bytes as "livingBytes", c.target_copies as "targetCopies",
     case when a.pack_id is null then 0 else 1 end as "isAsked"
   from packs p join contents c on c.id = p.content_id left join asked_compactions a on a.pack_id = p.content_id
   where p.bucket_id = :bucketId and c.state = 'live' and c.store_state = 'stored' and p.members > 0
     and p.content_id not in (select m.pack_id from pack_moves m where m.bucket_id = :bucketId)
   order by case when a.pack_id is null then 1 else 0 end, (c.size - p.living_bytes) * 1.0 / c.size desc, c.id limit ${candidatesMax}`,
)

const findMove = statement((db, { bucketId }: Params<OfBucket>) =>
  db.selectFrom('pack_moves').select('pack_id as packId').where('bucket_id', '=', bucketId).limit(1),
)

const findMembers = statement((db, { bucketId, packId }: Params<OfBucket & { packId: number }>) =>
  db
    .selectFrom('pack_moves')
    .select(['content_id as contentId', 'offset_bytes as offset'])
    .where('bucket_id', '=', bucketId)
    .where('pack_id', '=', packId)
    .orderBy('content_id'),
)

interface NewMoves extends OfBucket {
  readonly packId: number
  readonly contentIds: readonly number[]
  readonly offsets: readonly number[]
}

const addMoves = sqlStatement<NewMoves>({
  sqlite: `insert into pack_moves (content_id, pack_id, bucket_id, offset_bytes)
    select i.value, :packId, :bucketId, json_extract(:offsets, '$[' || i.key || ']') from json_each(:contentIds) i`,
  postgres: `insert into pack_moves (content_id, pack_id, bucket_id, offset_bytes)
    select i.id, :packId, :bucketId, i.place from unnest(cast(:contentIds as bigint[]), cast(:offsets as bigint[])) as i (id, place)`,
})

const findAlone = statement((db, { bucketId, packId, limit }: Params<OfBucket & { packId: number; limit: number }>) =>
  db
    .selectFrom('pack_moves as v')
    .select(['v.content_id as contentId', 'v.offset_bytes as offset'])
    .where('v.bucket_id', '=', bucketId)
    .where('v.pack_id', '=', packId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('pack_members as m').select('m.content_id').whereRef('m.content_id', '=', 'v.content_id'))),
    )
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('contents as c').select('c.id').whereRef('c.id', '=', 'v.content_id').where('c.state', '=', 'live')),
    )
    .limit(limit),
)

const dropMovesOf = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db.deleteFrom('pack_moves').where('content_id', 'in', contentIds),
)
const dropMoves = statement((db, { bucketId, packId }: Params<OfBucket & { packId: number }>) =>
  db.deleteFrom('pack_moves').where('bucket_id', '=', bucketId).where('pack_id', '=', packId),
)
const dropMovesOfBucket = statement((db, { bucketId }: Params<OfBucket>) => db.deleteFrom('pack_moves').where('bucket_id', '=', bucketId))

const addPacked = statement((db, { bucketId, contents }: Params<OfBucket & { contents: number }>) =>
  db
    .updateTable('asked_packings')
    .set((row) => ({ packed: row('packed', '+', contents) }))
    .where('bucket_id', '=', bucketId),
)

const ask = statement((db, { packId }: Params<{ packId: number }>) =>
  db
    .insertInto('asked_compactions')
    .values({ pack_id: packId })
    .onConflict((conflict) => conflict.column('pack_id').doNothing()),
)
const dropAsked = statement((db, { packIds }: Params<{ packIds: readonly number[] }>) =>
  db.deleteFrom('asked_compactions').where('pack_id', 'in', packIds),
)

const findBuckets = sqlStatement<object, { bucketId: number; bucket: string }>(
  `select b.id as "bucketId", b.name as bucket from buckets b where b.deleted_at is null and (
     b.id in (select m.bucket_id from pack_moves m)
     or b.id in (select p.bucket_id from asked_compactions a join packs p on p.content_id = a.pack_id)
     or exists (select 1 from packs p join contents c on c.id = p.content_id where p.bucket_id = b.id and p.living_bytes * 2 < c.size))`,
)

export interface LivingMember {
  readonly contentId: number
  readonly offset: number
  readonly length: number
  /** Lower-case hex. */
  readonly sha256: string
  readonly targetCopies: number
}

const findLiving = statement((db, { packId, after, limit }: Params<{ packId: number; after: number; limit: number }>) =>
  db
    .selectFrom('pack_members as m')
    .innerJoin('contents as c', 'c.id', 'm.content_id')
    .select(['m.content_id as contentId', 'm.offset_bytes as offset', 'm.length', 'c.sha256', 'c.target_copies as targetCopies'])
    .where('m.pack_id', '=', packId)
    .where('m.offset_bytes', '>', after)
    .orderBy('m.offset_bytes')
    .limit(limit)
    // Contents without a SHA-256 are not packed.
    .$narrowType<{ sha256: string }>(),
)

const findTarget = statement((db, { packId }: Params<{ packId: number }>) =>
  db
    .selectFrom('packs as p')
    .innerJoin('contents as c', 'c.id', 'p.content_id')
    .select(['c.target_copies as targetCopies', 'c.store_state as storeState'])
    .where('p.content_id', '=', packId),
)

/** Packs of the bucket that have all their copies, those that an operator named first, then those with the most dead bytes. */
export async function compactable(read: Reader, bucketId: number): Promise<readonly CompactablePack[]> {
  return (await read.all(findCandidates, { bucketId })).map((row) => ({ ...row, isAsked: row.isAsked === 1 }))
}

/** The pack to which members of others move. */
export async function findNextPack(read: Reader, bucketId: number): Promise<number | undefined> {
  return (await read.get(findMove, { bucketId }))?.packId
}

export const movesTo = (read: Reader, bucketId: number, packId: number): Promise<readonly PlacedMember[]> =>
  read.all(findMembers, { bucketId, packId })

export async function recordMoves(tx: Tx, bucketId: number, packId: number, members: readonly PlacedMember[]): Promise<void> {
  const contentIds = members.map(({ contentId }) => contentId)
  await tx.run(addMoves, { bucketId, packId, contentIds, offsets: members.map(({ offset }) => offset) })
}

export async function forgetMoves(tx: Tx, bucketId: number, packId: number): Promise<void> {
  await tx.run(dropMoves, { bucketId, packId })
}

/** Contents with pieces of their own among those that move to the pack. */
export const movesOfAlone = (
  read: Reader,
  page: { readonly bucketId: number; readonly packId: number; readonly limit: number },
): Promise<readonly PlacedMember[]> => read.all(findAlone, page)

/** Returns how many moves there were. */
export async function forgetMovesOf(tx: Tx, contentIds: readonly number[]): Promise<number> {
  return (await tx.run(dropMovesOf, { contentIds })).changes
}

/** Adds contents that became members to those of the request to pack what is stored, if there is one. */
export async function countPacked(tx: Tx, bucketId: number, contents: number): Promise<void> {
  await tx.run(addPacked, { bucketId, contents })
}

export async function forgetMovesOfBucket(tx: Tx, bucketId: number): Promise<void> {
  await tx.run(dropMovesOfBucket, { bucketId })
}

export async function askToCompact(tx: Tx, packId: number): Promise<void> {
  await tx.run(ask, { packId })
}

export async function forgetAsked(tx: Tx, packIds: readonly number[]): Promise<void> {
  await tx.run(dropAsked, { packIds })
}

/** Buckets with a compaction that runs or was asked for, or with a pack that is mostly dead. */
export const bucketsToCompact = (read: Reader): Promise<readonly { readonly bucketId: number; readonly bucket: string }[]> =>
  read.all(findBuckets, {})

/** Copies that the pack must have, and whether its bytes are lost; undefined when it is gone. */
export async function targetOf(
  read: Reader,
  packId: number,
): Promise<{ readonly targetCopies: number; readonly isLost: boolean } | undefined> {
  const row = await read.get(findTarget, { packId })
  return row && { targetCopies: row.targetCopies, isLost: row.storeState === 'lost' }
}

/** Members of the pack behind this offset, in the order of their bytes. */
export const livingMembers = (read: Reader, packId: number, after: number, limit: number): Promise<readonly LivingMember[]> =>
  read.all(findLiving, { packId, after, limit })
