import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { NeededContent } from '../../contract.ts'
import { releaseEntries } from '../cached/eviction-store.ts'
import { neededColumns } from '../contents/content-state-store.ts'
import { attachReason, refer } from '../contents/content-store.ts'
import { lockKnownContent } from '../contents/live-content-store.ts'
import { type AtContent, statement } from '../entities/tables.ts'
import { handOverHeldParts, releaseHeldParts } from './held-part-store.ts'

interface NewComposite {
  readonly bucketId: number
  /** `parts:` and the SHA-256 of the identities and lengths of its parts. */
  readonly identity: string
  readonly size: number
  readonly partCount: number
  readonly targetCopies: number
  readonly nowMs: number
}

/** No row when the bucket has a live composite of the same parts. */
const addComposite = statement((db, content: Params<NewComposite>) =>
  db
    .insertInto('contents')
    .values({
      bucket_id: content.bucketId,
      identity: content.identity,
      size: content.size,
      part_count: content.partCount,
      ref_count: 1,
      target_copies: content.targetCopies,
      created_at: content.nowMs,
      updated_at: content.nowMs,
    })
    .onConflict((conflict) => conflict.columns(['bucket_id', 'identity', 'size']).where('state', '=', 'live').doNothing())
    .returning('id'),
)

const addParts = sqlStatement<{ contentId: number; holder: string }>(
  `insert into content_parts (content_id, part_no, part_content_id, offset_bytes, length, store_state, durable_copies, readable_copies)
   select cast(:contentId as bigint), h.part_no, h.content_id, h.offset_bytes, h.length, l.store_state, l.durable_copies, l.readable_copies
   from held_parts h join contents l on l.id = h.content_id where h.holder = :holder`,
)

const least = (column: string) =>
  `${column} = (select p.${column} from content_parts p where p.content_id = contents.id order by p.${column} limit 1)`
const hasPart = (state: string) => `exists (select 1 from content_parts p where p.content_id = contents.id and p.store_state = '${state}')`
/** The worst state of its parts. Later changes of the parts are followed by the trigger content_parts_changed. */
const settle = sqlStatement<{ contentId: number }>(
  `update contents set ${least('durable_copies')}, ${least('readable_copies')}, store_state = case
     ${['lost', 'failed', 'storing', 'unstored'].map((state) => `when ${hasPart(state)} then '${state}'`).join(' ')} else 'stored' end
   where id = :contentId`,
)

const subtract = sqlStatement<{ contentId: number; nowMs: number }>(
  `update contents set updated_at = :nowMs, hold_count = hold_count -
     (select count(*) from content_parts p where p.part_content_id = contents.id and p.content_id = :contentId)
   where id in (select part_content_id from content_parts where content_id = :contentId)`,
)

const endParts = sqlStatement<{ contentId: number }, { id: number }>(
  `update contents set state = 'deleting' where ref_count = 0 and hold_count = 0
     and id in (select part_content_id from content_parts where content_id = :contentId) returning id`,
)

const removeParts = statement((db, { contentId }: AtContent) => db.deleteFrom('content_parts').where('content_id', '=', contentId))
const removeContent = statement((db, { contentId }: AtContent) => db.deleteFrom('contents').where('id', '=', contentId))

/** Makes the held parts of an upload a content, or refers to the live one with the same parts. The upload holds nothing afterwards. */
export async function attachComposite(tx: Tx, { holder, ...content }: NewComposite & { readonly holder: string }): Promise<NeededContent> {
  const { bucketId, size, targetCopies, nowMs } = content
  const added = await tx.get(addComposite, content)
  if (added) {
    await tx.run(addParts, { contentId: added.id, holder })
    await handOverHeldParts(tx, holder)
    await tx.run(settle, { contentId: added.id })
    return { id: added.id, bucketId, size, targetCopies, durableCopies: 0, readableCopies: 0, reason: 'new' }
  }
  const row = await lockKnownContent(tx, content)
  const needed = await refer(tx, row, { targetCopies, nowMs })
  const ended = await releaseHeldParts(tx, holder, nowMs)
  if (ended.length > 0) throw new Error(`contents ${ended} are parts of content ${needed.id} and have no reference`)
  return needed
}

/** Deletes a composite without versions. Returns its parts without any other reference, which are being deleted now. */
export async function endComposite(tx: Tx, contentId: number, nowMs: number): Promise<readonly number[]> {
  await tx.run(subtract, { contentId, nowMs })
  const ended = (await tx.all(endParts, { contentId })).map(({ id }) => id)
  await tx.run(removeParts, { contentId })
  await tx.run(removeContent, { contentId })
  await releaseEntries(tx, ended)
  return ended
}

const findParts = statement((db, { contentId, start, end }: AtContent<{ start: number; end: number }>) =>
  db
    .selectFrom('content_parts')
    .select(['part_content_id as contentId', 'offset_bytes as offset', 'length', 'store_state as storeState'])
    .where('content_id', '=', contentId)
    .where('offset_bytes', '<=', end)
    .where((part) => part(part('offset_bytes', '+', part.ref('length')), '>', start))
    .orderBy('part_no'),
)

export interface ContentPart {
  readonly contentId: number
  /** Position of its first byte in the composite. */
  readonly offset: number
  readonly length: number
  readonly storeState: string
}

/** The parts with bytes from `start` to `end` inclusive, in order. */
export async function partsInRange(
  read: Reader,
  contentId: number,
  range: { readonly start: number; readonly end: number },
): Promise<readonly ContentPart[]> {
  return read.all(findParts, { contentId, ...range })
}

const lockParts = statement((db, { contentId }: AtContent) =>
  db
    .selectFrom('contents')
    .select(neededColumns)
    .where('id', 'in', ({ selectFrom }) => selectFrom('content_parts').select('part_content_id').where('content_id', '=', contentId))
    .orderBy('id')
    .forUpdate(),
)

const raiseParts = statement((db, { contentId, targetCopies, nowMs }: AtContent<{ targetCopies: number; nowMs: number }>) =>
  db
    .updateTable('contents')
    .set({ target_copies: targetCopies, updated_at: nowMs })
    .where('id', 'in', ({ selectFrom }) => selectFrom('content_parts').select('part_content_id').where('content_id', '=', contentId))
    .where('target_copies', '<', targetCopies),
)

/** Call after a version of a composite was added: raises the targets of its parts. Returns the parts; none for another content. */
export async function referToParts(
  tx: Tx,
  contentId: number,
  version: { readonly targetCopies: number; readonly nowMs: number },
): Promise<readonly NeededContent[]> {
  const parts = await tx.all(lockParts, { contentId })
  if (parts.length > 0) await tx.run(raiseParts, { contentId, ...version })
  return parts.map(({ storeState, ...part }) => {
    const targetCopies = Math.max(part.targetCopies, version.targetCopies)
    return { ...part, targetCopies, reason: attachReason(storeState, targetCopies > part.targetCopies) }
  })
}
