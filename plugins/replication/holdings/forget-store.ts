import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'
import { endedRemovalStates } from './open-removals-store.ts'

type ContentParams = Params<{ contentId: number }>

const findLeft = statement((db, { contentId }: ContentParams) =>
  db.selectFrom('copies').select('id').where('content_id', '=', contentId).where('state', '<>', 'removed').limit(1),
)
const dropItems = statement((db, { contentId }: ContentParams) =>
  db.deleteFrom('commit_items').where('copy_id', 'in', db.selectFrom('copies').select('id').where('content_id', '=', contentId)),
)
const dropCopies = statement((db, { contentId }: ContentParams) => db.deleteFrom('copies').where('content_id', '=', contentId))
const dropPieces = statement((db, { contentId }: ContentParams) => db.deleteFrom('pieces').where('content_id', '=', contentId))

/** A released attempt that may still land: then its piece must be removed. */
const findWatched = statement((db, { contentId }: ContentParams) =>
  db
    .selectFrom('copies as c')
    .innerJoin('commit_items as i', 'i.copy_id', 'c.id')
    .innerJoin('commit_batches as b', 'b.id', 'i.batch_id')
    .select('c.id')
    .where('c.content_id', '=', contentId)
    .where('i.released_at', 'is not', null)
    .where('b.state', 'not in', ['confirmed', 'closed'])
    .limit(1),
)
/** After a reorganisation its attempt lands again with another piece id. */
const findSurplus = statement((db, { contentId }: ContentParams) =>
  db
    .selectFrom('removals')
    .select('id')
    .where('content_id', '=', contentId)
    .where('surplus_batch_id', 'is not', null)
    .where('state', 'not in', endedRemovalStates)
    .limit(1),
)

/** Whether the content has a copy that is not removed, or may still have a piece on chain that is no copy. */
export async function isAnyCopyLeft(read: Reader, contentId: number): Promise<boolean> {
  for (const find of [findLeft, findWatched, findSurplus]) if (await read.get(find, { contentId })) return true
  return false
}

/** SQLite may reuse ids of copies, so all rows that reference them are deleted. */
export async function deleteCopies(tx: Tx, contentId: number): Promise<void> {
  await tx.run(dropItems, { contentId })
  await tx.run(dropCopies, { contentId })
  await tx.run(dropPieces, { contentId })
}
