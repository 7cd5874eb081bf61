import { type Clock, type Database, defineService } from '#kernel'
import type { Bucket, Buckets } from '#plugins/storage'
import { defineBucketSetting } from '../bucket-settings/bucket-settings.ts'
import { readIntoMemory } from '../bucket-settings/setting-in-memory.ts'

/** Limits of one bucket, which all its writers share. 0: no limit. */
interface BucketQuota {
  /** Object versions. */
  readonly objects: number
  /** Bytes in all object versions. */
  readonly bytes: number
}

/** The quota of each bucket. Every upload reads it, so it is in memory. */
export interface BucketQuotas {
  of(bucket: Pick<Bucket, 'id'>): BucketQuota
  /** Later uploads see the change; what is stored stays. Throws NoSuchBucket when the bucket was deleted. */
  change(bucket: Bucket, changes: Partial<BucketQuota>): Promise<BucketQuota>
}

export const bucketQuotas = defineService<BucketQuotas>('s3.bucket-quotas')

const quotaSetting = defineBucketSetting<BucketQuota>('quota')
const noQuota: BucketQuota = { objects: 0, bytes: 0 }

interface QuotaDeps {
  readonly database: Database
  readonly buckets: Pick<Buckets, 'list'>
  readonly clock: Clock
}

export async function createBucketQuotas(deps: QuotaDeps): Promise<BucketQuotas> {
  const quotas = await readIntoMemory(deps, quotaSetting)
  const of = (bucket: Pick<Bucket, 'id'>) => quotas.of(bucket) ?? noQuota
  return {
    of,
    async change(bucket, changes) {
      await quotas.change(bucket, (current = noQuota) => ({ ...current, ...changes }))
      return of(bucket)
    },
  }
}
