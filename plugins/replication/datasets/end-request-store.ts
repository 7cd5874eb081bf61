/** @walk ending 3: requests the end of all its data sets */
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'

const find = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db.selectFrom('data_set_endings').select('data_set_id').where('data_set_id', '=', dataSetId),
)

const request = sqlStatement<{ bucketId: number; nowMs: number }>(
  `insert into data_set_endings (data_set_id, state, path, requested_at, updated_at)
   select id, 'pending', 'relay', cast(:nowMs as bigint), cast(:nowMs as bigint) from data_sets where bucket_id = :bucketId
   on conflict do nothing`,
)

const findOfBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('data_sets').select('id').where('bucket_id', '=', bucketId).orderBy('id'),
)

/** Whether the data set must end: it is not created any more, and nothing is added to it. */
export const mustEnd = async (read: Reader, dataSetId: number): Promise<boolean> => (await read.get(find, { dataSetId })) !== undefined

/** All data sets of the bucket must end. Returns their ids. */
export async function requestEnds(tx: Tx, bucketId: number, nowMs: number): Promise<readonly number[]> {
  await tx.run(request, { bucketId, nowMs })
  return (await tx.all(findOfBucket, { bucketId })).map(({ id }) => id)
}
