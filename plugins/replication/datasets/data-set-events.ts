import type { Tx } from '#kernel'
import { bucketUpdated } from '#plugins/storage'
import type { Pipeline } from '../pipeline.ts'
import { bucketName } from './load-store.ts'

/** The data sets of a bucket are part of its description: its readers hear of their changes once the transaction is committed. */
export async function announceDataSets({ events }: Pick<Pipeline, 'events'>, tx: Tx, bucketId: number): Promise<void> {
  const name = await bucketName(tx, bucketId)
  tx.afterCommit(() => events.publish(bucketUpdated, { bucket_name: name }))
}
