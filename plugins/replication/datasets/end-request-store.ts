/** @walk ending 3: requests the end of all its data sets */
import type { Params, Tx } from '#kernel'
import type { EndCause } from '../contract.ts'
import { statement } from '../tables.ts'

const request = statement((db, { dataSetId, cause, nowMs }: Params<{ dataSetId: number; cause: EndCause; nowMs: number }>) =>
  db
    .insertInto('data_set_endings')
    .values({ data_set_id: dataSetId, cause, state: 'pending', path: 'relay', requested_at: nowMs, updated_at: nowMs })
    .onConflict((conflict) => conflict.doNothing()),
)

const findOfBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('data_sets').select('id').where('bucket_id', '=', bucketId).orderBy('id'),
)

/** The data set must end. An earlier request keeps its cause. */
export async function requestEnd(
  tx: Tx,
  end: { readonly dataSetId: number; readonly cause: EndCause; readonly nowMs: number },
): Promise<void> {
  await tx.run(request, end)
}

/** All data sets of the bucket must end. Returns their ids. */
export async function requestEnds(tx: Tx, bucketId: number, nowMs: number): Promise<readonly number[]> {
  const ids = (await tx.all(findOfBucket, { bucketId })).map(({ id }) => id)
  for (const dataSetId of ids) await requestEnd(tx, { dataSetId, cause: 'bucket_deleted', nowMs })
  return ids
}
