/** Packs and the contents that are ranges of them. */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { PackRange } from '../../contract.ts'
import { releaseEntry } from '../cached/eviction-store.ts'
import { type AtContent, statement } from '../entities/tables.ts'

const findPack = statement((db, { contentId }: AtContent) =>
  db.selectFrom('pack_members').select('pack_id as packId').where('content_id', '=', contentId),
)

const find = statement((db, { contentId }: AtContent) =>
  db
    .selectFrom('pack_members as m')
    .innerJoin('contents as p', 'p.id', 'm.pack_id')
    .innerJoin('contents as c', 'c.id', 'm.content_id')
    .select(['m.pack_id as packId', 'm.offset_bytes as offset', 'm.length', 'p.size as packSize', 'c.sha256'])
    .where('m.content_id', '=', contentId)
    .$narrowType<{ sha256: string }>(),
)

interface AddedPack {
  readonly packId: number
  readonly bucketId: number
  readonly nowMs: number
}

const add = statement((db, { packId, bucketId, nowMs }: Params<AddedPack>) =>
  db.insertInto('packs').values({ content_id: packId, bucket_id: bucketId, created_at: nowMs }),
)

interface Placed {
  readonly packId: number
  readonly contentIds: readonly number[]
  readonly offsets: readonly number[]
}

/** Written by hand, as `moveMembers` is: each engine has its own form for lists whose members belong together. */
const addFrom = (table: string, { id, length }: { readonly id: string; readonly length: string }) =>
  sqlStatement<Placed>({
    sqlite: `insert into pack_members (content_id, pack_id, offset_bytes, length)
      select s.${id}, :packId, json_extract(:offsets, '$[' || i.key || ']'), s.${length}
      from json_each(:contentIds) i join ${table} s on s.${id} = i.value`,
    postgres: `insert into pack_members (content_id, pack_id, offset_bytes, length)
      select s.${id}, :packId, i.place, s.${length}
      from unnest(cast(:contentIds as bigint[]), cast(:offsets as bigint[])) as i (id, place) join ${table} s on s.${id} = i.id`,
  })

const addMembers = addFrom('waiting_members', { id: 'content_id', length: 'length' })
const addAlone = addFrom('contents', { id: 'id', length: 'size' })

const moveMembers = sqlStatement<Placed>({
  sqlite: `update pack_members set pack_id = :packId, offset_bytes = place
    from (select i.value as moved, json_extract(:offsets, '$[' || i.key || ']') as place from json_each(:contentIds) i)
    where content_id = moved and pack_id <> :packId`,
  postgres: `update pack_members set pack_id = :packId, offset_bytes = place
    from unnest(cast(:contentIds as bigint[]), cast(:offsets as bigint[])) as i (moved, place)
    where content_id = moved and pack_id <> :packId`,
})

/** Contents with versions that are neither members, packs, parts nor waiting for a pack. */
const findAlone = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('contents as c')
    .select(['c.id', 'c.target_copies as targetCopies'])
    .where('c.id', 'in', contentIds)
    .where('c.state', '=', 'live')
    .where('c.hold_count', '=', 0)
    .where('c.part_count', '=', 0)
    .where('c.sha256', 'is not', null)
    .where(({ and, not, exists, selectFrom }) =>
      and([
        not(exists(selectFrom('pack_members as m').select('m.content_id').whereRef('m.content_id', '=', 'c.id'))),
        not(exists(selectFrom('waiting_members as w').select('w.content_id').whereRef('w.content_id', '=', 'c.id'))),
        not(exists(selectFrom('content_parts as p').select('p.content_id').whereRef('p.part_content_id', '=', 'c.id'))),
      ]),
    )
    .forUpdate(),
)

/** Does what the trigger does when a pack changes. */
const followPack = sqlStatement<{ packId: number; nowMs: number }>(
  `update contents set updated_at = :nowMs, store_state = p.store_state, durable_copies = p.durable_copies, readable_copies = p.readable_copies
   from contents p where p.id = :packId and contents.id in (select m.content_id from pack_members m where m.pack_id = :packId)`,
)

const findMembers = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('pack_members as m')
    .innerJoin('contents as c', 'c.id', 'm.content_id')
    .select(({ fn }) => ['m.pack_id as packId', fn.max('c.target_copies').as('targetCopies')])
    .where('m.content_id', 'in', contentIds)
    .groupBy('m.pack_id'),
)

const raiseTarget = sqlStatement<{ packId: number }>(
  `update contents set target_copies = (select max(c.target_copies) from pack_members m join contents c on c.id = m.content_id
     where m.pack_id = :packId)
   where id = :packId and target_copies < (select max(c.target_copies) from pack_members m join contents c on c.id = m.content_id
     where m.pack_id = :packId)`,
)

const removeMember = statement((db, { contentId }: AtContent) =>
  db.deleteFrom('pack_members').where('content_id', '=', contentId).returning('pack_id as packId'),
)

const findAnyMember = statement((db, { packId }: Params<{ packId: number }>) =>
  db.selectFrom('pack_members').select('content_id').where('pack_id', '=', packId).limit(1),
)

const findTwo = statement((db, { packId }: Params<{ packId: number }>) =>
  db.selectFrom('pack_members').select('content_id').where('pack_id', '=', packId).limit(2),
)

const remove = statement((db, { packId }: Params<{ packId: number }>) => db.deleteFrom('packs').where('content_id', '=', packId))

const dropHold = statement((db, { packId, nowMs }: Params<{ packId: number; nowMs: number }>) =>
  db
    .updateTable('contents')
    .set((row) => ({ hold_count: row('hold_count', '-', 1), updated_at: nowMs }))
    .where('id', '=', packId),
)

const endPack = statement((db, { packId }: Params<{ packId: number }>) =>
  db
    .updateTable('contents')
    .set({ state: 'deleting' })
    .where('id', '=', packId)
    .where('ref_count', '=', 0)
    .where('hold_count', '=', 0)
    .returning('id'),
)

const packsOf = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('packs').select('content_id as packId').where('bucket_id', '=', bucketId),
)

/** The pack of a member; undefined for other contents. */
export async function packIdOf(read: Reader, contentId: number): Promise<number | undefined> {
  return (await read.get(findPack, { contentId }))?.packId
}

export async function findMember(read: Reader, contentId: number): Promise<PackRange | undefined> {
  return read.get(find, { contentId })
}

/** The content must have a hold that was counted in this transaction. */
export async function addPack(tx: Tx, pack: AddedPack): Promise<void> {
  await tx.run(add, pack)
}

/** Makes those of the contents that still wait members of the pack. Returns how many did. */
export async function addWaitingMembers(
  tx: Tx,
  packId: number,
  members: readonly { readonly contentId: number; readonly offset: number }[],
): Promise<number> {
  const contentIds = members.map(({ contentId }) => contentId)
  const { changes } = await tx.run(addMembers, { packId, contentIds, offsets: members.map(({ offset }) => offset) })
  await tx.run(raiseTarget, { packId })
  return changes
}

/** The packs of these contents, with the highest target of those in each. */
export async function packsOfMembers(
  tx: Tx,
  contentIds: readonly number[],
): Promise<readonly { readonly packId: number; readonly targetCopies: number }[]> {
  return tx.all(findMembers, { contentIds })
}

/** Makes those of the contents that are members of other packs members of this one, with its state and copies. */
export async function movePackMembers(
  tx: Tx,
  packId: number,
  members: readonly { readonly contentId: number; readonly offset: number }[],
  nowMs: number,
): Promise<void> {
  const contentIds = members.map(({ contentId }) => contentId)
  await tx.run(moveMembers, { packId, contentIds, offsets: members.map(({ offset }) => offset) })
  await tx.run(followPack, { packId, nowMs })
}

/** Returns those of the contents that have versions and copies of their own. */
export const contentsAlone = (
  tx: Tx,
  contentIds: readonly number[],
): Promise<readonly { readonly id: number; readonly targetCopies: number }[]> => tx.all(findAlone, { contentIds })

/** Makes these contents members of the pack, with its state and copies. */
export async function addMembersAlone(
  tx: Tx,
  packId: number,
  members: readonly { readonly contentId: number; readonly offset: number }[],
  nowMs: number,
): Promise<void> {
  await tx.run(addAlone, { packId, contentIds: members.map(({ contentId }) => contentId), offsets: members.map(({ offset }) => offset) })
  await tx.run(followPack, { packId, nowMs })
}

export async function hasMembers(read: Reader, packId: number): Promise<boolean> {
  return (await read.get(findAnyMember, { packId })) !== undefined
}

/** Ends that the content is a member. Returns its pack, and whether that has no members now; undefined for other contents. */
export async function leavePack(tx: Tx, contentId: number): Promise<{ readonly packId: number; readonly isEmpty: boolean } | undefined> {
  const left = await tx.get(removeMember, { contentId })
  return left && { ...left, isEmpty: (await tx.get(findAnyMember, left)) === undefined }
}

export async function isOnlyMember(read: Reader, packId: number): Promise<boolean> {
  return (await read.all(findTwo, { packId })).length === 1
}

/** Ends a pack without members. Returns whether its content has no other reference: then it is being deleted now. */
export async function endEmptyPack(tx: Tx, packId: number, nowMs: number): Promise<boolean> {
  if ((await tx.run(remove, { packId })).changes === 0) return false
  await tx.run(dropHold, { packId, nowMs })
  if ((await tx.get(endPack, { packId })) === undefined) return false
  await releaseEntry(tx, packId)
  return true
}

const findLost = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('pack_members as m')
    .innerJoin('contents as p', 'p.id', 'm.pack_id')
    .innerJoin('cache_entries as e', 'e.content_id', 'm.content_id')
    .select('m.content_id as contentId')
    .where('m.content_id', 'in', contentIds)
    .where('p.store_state', '=', 'lost')
    .where('e.state', '=', 'present'),
)

/** Returns those of the contents whose pack is lost and whose own bytes are cached. */
export async function cachedMembersOfLostPacks(read: Reader, contentIds: readonly number[]): Promise<readonly number[]> {
  return (await read.all(findLost, { contentIds })).map(({ contentId }) => contentId)
}

export async function packsOfBucket(read: Reader, bucketId: number): Promise<readonly number[]> {
  return (await read.all(packsOf, { bucketId })).map(({ packId }) => packId)
}
