import { sql } from 'kysely'
import type { Reader } from '#kernel'
import type { BucketUsage } from '../../contract.ts'
import { statement } from '../entities/tables.ts'

const total = statement((db) =>
  db
    .selectFrom('bucket_stats')
    .select([
      sql<number>`cast(coalesce(sum(live_objects), 0) as bigint)`.as('objectCount'),
      sql<number>`cast(coalesce(sum(live_bytes), 0) as bigint)`.as('totalSizeBytes'),
    ]),
)

/** Sums of all buckets. */
export async function readTotalUsage(read: Reader): Promise<BucketUsage> {
  return (await read.get(total)) ?? { objectCount: 0, totalSizeBytes: 0 }
}
