import type { Params, Tx } from '#kernel'
import { statement } from '../tables.ts'
import { isCurrent, switchSlot } from './current-slot-store.ts'
import { type DataSet, hasDataSetAt, insertDataSet, type PlannedDataSet } from './data-set-store.ts'

const abandon = statement((db, { id, message, nowMs }: Params<{ id: number; message: string; nowMs: number }>) =>
  db
    .updateTable('data_sets')
    .set({ state: 'abandoned', last_error: message, updated_at: nowMs })
    .where('id', '=', id)
    .where('state', '=', 'planned')
    .where('create_offered_at', 'is', null)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('data_set_endings').select('state').where('data_set_id', '=', id)))),
)

const moveCopies = statement((db, { from, to, nowMs }: Params<{ from: number; to: number; nowMs: number }>) =>
  db.updateTable('copies').set({ data_set_id: to, updated_at: nowMs }).where('data_set_id', '=', from).where('state', '=', 'planned'),
)

/**
 * Abandons a planned data set whose provider never received the signed creation, and inserts the next generation of its slot, with the
 * planned copies. Undefined, without changes, when the creation may have been received meanwhile, the bucket already has a data set at that
 * provider, or the data set is not current: an operator chose its provider.
 */
export async function replaceUnoffered(
  tx: Tx,
  { id, bucketId, slot }: DataSet,
  { plan, message, nowMs }: { readonly plan: Omit<PlannedDataSet, 'bucketId' | 'slot'>; readonly message: string; readonly nowMs: number },
): Promise<number | undefined> {
  if (!(await isCurrent(tx, id)) || (await hasDataSetAt(tx, { bucketId, providerId: plan.providerId }))) return undefined
  if ((await tx.run(abandon, { id, message, nowMs })).changes === 0) return undefined
  const next = await insertDataSet(tx, { ...plan, bucketId, slot }, nowMs)
  await switchSlot(tx, id, next)
  await tx.run(moveCopies, { from: id, to: next, nowMs })
  return next
}
