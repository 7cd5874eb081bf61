import type { Params, Tx } from '#kernel'
import type { RaisedPage } from '../../contract.ts'
import { statement } from '../entities/tables.ts'
import { neededColumns } from './content-state-store.ts'
import type { LiveContent } from './live-content-store.ts'

const lockPage = statement((db, { bucketId, after, until, limit }: Params<RaisedPage>) =>
  db
    .selectFrom('contents')
    .select([...neededColumns, 'state'])
    .where('bucket_id', '=', bucketId)
    .where('part_count', '=', 0)
    .where('id', '>', after)
    .where('id', '<=', until)
    .orderBy('id')
    .limit(limit)
    .forUpdate(),
)

const raise = statement((db, { ids, copies, nowMs }: Params<{ ids: readonly number[]; copies: number; nowMs: number }>) =>
  db.updateTable('contents').set({ target_copies: copies, updated_at: nowMs }).where('id', 'in', ids),
)

/** Their copies are those of their parts. */
const raiseComposites = statement((db, { bucketId, copies, nowMs }: Params<{ bucketId: number; copies: number; nowMs: number }>) =>
  db
    .updateTable('contents')
    .set({ target_copies: copies, updated_at: nowMs })
    .where('bucket_id', '=', bucketId)
    .where('part_count', '>', 0)
    .where('target_copies', '<', copies),
)

/** Raises the targets of the contents of the page. Returns them with their former targets, and where the next page begins. */
export async function raisePage(
  tx: Tx,
  page: RaisedPage,
  nowMs: number,
): Promise<{ readonly raised: readonly LiveContent[]; readonly next: number | undefined }> {
  const { bucketId, copies } = page
  if (page.after === 0) await tx.run(raiseComposites, { bucketId, copies, nowMs })
  const rows = await tx.all(lockPage, { ...page })
  const raised = rows.filter(
    ({ state, size, storeState, targetCopies }) => state === 'live' && size > 0 && storeState !== 'lost' && targetCopies < copies,
  )
  if (raised.length > 0) await tx.run(raise, { ids: raised.map(({ id }) => id), copies, nowMs })
  return { raised, next: rows.length < page.limit ? undefined : rows.at(-1)?.id }
}
