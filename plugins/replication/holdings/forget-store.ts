import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'

type OfContent = Params<{ contentId: number }>

const findLeft = statement((db, { contentId }: OfContent) =>
  db.selectFrom('copies').select('id').where('content_id', '=', contentId).where('state', '<>', 'removed').limit(1),
)
const dropItems = statement((db, { contentId }: OfContent) =>
  db.deleteFrom('commit_items').where('copy_id', 'in', db.selectFrom('copies').select('id').where('content_id', '=', contentId)),
)
const dropCopies = statement((db, { contentId }: OfContent) => db.deleteFrom('copies').where('content_id', '=', contentId))
const dropPieces = statement((db, { contentId }: OfContent) => db.deleteFrom('pieces').where('content_id', '=', contentId))

/** Whether the content has a copy that is not removed. */
export const isAnyCopyLeft = async (read: Reader, contentId: number): Promise<boolean> =>
  (await read.get(findLeft, { contentId })) !== undefined

/** SQLite may reuse ids of copies, so all rows that reference them are deleted. */
export async function deleteCopies(tx: Tx, contentId: number): Promise<void> {
  await tx.run(dropItems, { contentId })
  await tx.run(dropCopies, { contentId })
  await tx.run(dropPieces, { contentId })
}
