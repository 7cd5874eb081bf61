/** @walk ending 3: requests the end of all its data sets */
import { type Params, sqlStatement, type Tx } from '#kernel'
import { statement } from '../tables.ts'

const request = sqlStatement<{ bucketId: number; nowMs: number }>(
  `insert into data_set_endings (data_set_id, state, path, requested_at, updated_at)
   select id, 'pending', 'relay', cast(:nowMs as bigint), cast(:nowMs as bigint) from data_sets where bucket_id = :bucketId
   on conflict do nothing`,
)

const findOfBucket = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db.selectFrom('data_sets').select('id').where('bucket_id', '=', bucketId).orderBy('id'),
)

/** All data sets of the bucket must end. Returns their ids. */
export async function requestEnds(tx: Tx, bucketId: number, nowMs: number): Promise<readonly number[]> {
  await tx.run(request, { bucketId, nowMs })
  return (await tx.all(findOfBucket, { bucketId })).map(({ id }) => id)
}
