import type { Params, Tx } from '#kernel'
import { bucketUpdated } from '#plugins/storage'
import type { Pipeline } from '../pipeline.ts'
import { statement } from '../tables.ts'

const findBucket = statement((db, { id }: Params<{ id: number }>) =>
  db
    .selectFrom('data_sets')
    .innerJoin('buckets', 'buckets.id', 'data_sets.bucket_id')
    .select('buckets.name')
    .where('data_sets.id', '=', id),
)

/** Data sets are part of their bucket's description: its readers hear of a change once the transaction is committed. */
export async function announceDataSet({ events }: Pick<Pipeline, 'events'>, tx: Tx, id: number): Promise<void> {
  const bucket = await tx.get(findBucket, { id })
  if (bucket) tx.afterCommit(() => events.publish(bucketUpdated, { bucket_name: bucket.name }))
}
