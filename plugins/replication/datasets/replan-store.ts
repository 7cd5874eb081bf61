import type { Tx } from '#kernel'
import { type DataSet, insertDataSet, type PlannedDataSet } from './data-set-store.ts'

/**
 * Abandons a planned data set whose provider never received the signed creation, and inserts the next generation of its slot, with the
 * planned copies. Undefined, without changes, when the creation may have been received meanwhile, or the bucket already has a data set
 * at that provider.
 */
export async function replaceUnoffered(
  tx: Tx,
  { id, bucketId, slot }: DataSet,
  { plan, message, nowMs }: { readonly plan: Omit<PlannedDataSet, 'bucketId' | 'slot'>; readonly message: string; readonly nowMs: number },
): Promise<number | undefined> {
  const isTaken = tx.get(
    "select 1 from data_sets where bucket_id = ? and provider_id = ? and state not in ('retired', 'abandoned')",
    bucketId,
    plan.providerId,
  )
  if (isTaken) return undefined
  const { changes } = tx.run(
    "update data_sets set state = 'abandoned', last_error = ?, updated_at = ? where id = ? and state = 'planned' and create_offered_at is null",
    message,
    nowMs,
    id,
  )
  if (changes === 0) return undefined
  const next = await insertDataSet(tx, { ...plan, bucketId, slot }, nowMs)
  tx.run('update replica_slots set current_data_set_id = ? where bucket_id = ? and slot = ?', next, bucketId, slot)
  tx.run("update copies set data_set_id = ?, updated_at = ? where data_set_id = ? and state = 'planned'", next, nowMs, id)
  return next
}
