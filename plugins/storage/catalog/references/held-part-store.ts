import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { releaseEntries } from '../cached/eviction-store.ts'
import { statement } from '../entities/tables.ts'

/** A content that an unfinished upload holds, which is live for that long (I-18). */
interface HeldPart {
  /** Identifies the upload. */
  readonly holder: string
  readonly partNo: number
  readonly contentId: number
  /** Position of the first byte in the object. */
  readonly offset: number
  readonly length: number
  /** The upload ends with this process start; null: it continues after a restart. */
  readonly epoch: number | null
}

const add = statement((db, part: Params<HeldPart>) =>
  db.insertInto('held_parts').values({
    holder: part.holder,
    part_no: part.partNo,
    content_id: part.contentId,
    offset_bytes: part.offset,
    length: part.length,
    epoch: part.epoch,
  }),
)

interface OfHolder {
  readonly holder: string
}

/** Statements by hand, like those of composites: the count uses the index of the content, whatever the number of parts. */
const subtract = sqlStatement<OfHolder & { nowMs: number }>(
  `update contents set updated_at = :nowMs,
     hold_count = hold_count - (select count(*) from held_parts h where h.content_id = contents.id and h.holder = :holder)
   where id in (select content_id from held_parts where holder = :holder)`,
)

const end = sqlStatement<OfHolder, { id: number }>(
  `update contents set state = 'deleting' where ref_count = 0 and hold_count = 0
     and id in (select content_id from held_parts where holder = :holder) returning id`,
)

const remove = statement((db, { holder }: Params<OfHolder>) => db.deleteFrom('held_parts').where('holder', '=', holder))

const findEnding = statement((db, { after, limit }: Params<{ after: string; limit: number }>) =>
  db
    .selectFrom('held_parts')
    .select(['holder', 'epoch'])
    .distinct()
    .where('epoch', 'is not', null)
    .where('holder', '>', after)
    .orderBy('holder')
    .limit(limit),
)

/** The content must have a reference that was counted as a hold in this transaction. */
export async function addHeldPart(tx: Tx, part: HeldPart): Promise<void> {
  await tx.run(add, part)
}

/** Ends the references of an upload. Returns the contents without any other, which are being deleted now. */
export async function releaseHeldParts(tx: Tx, holder: string, nowMs: number): Promise<readonly number[]> {
  await tx.run(subtract, { holder, nowMs })
  const ended = (await tx.all(end, { holder })).map(({ id }) => id)
  await tx.run(remove, { holder })
  await releaseEntries(tx, ended)
  return ended
}

/** The references became those of a composite content. */
export async function handOverHeldParts(tx: Tx, holder: string): Promise<void> {
  await tx.run(remove, { holder })
}

/** Uploads that end with a process start, at most `limit`, in order of the holder. */
export async function endingHolders(
  read: Reader,
  page: { readonly after: string; readonly limit: number },
): Promise<readonly { readonly holder: string; readonly epoch: number | null }[]> {
  return await read.all(findEnding, page)
}
