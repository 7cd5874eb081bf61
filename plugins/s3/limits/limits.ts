import { type Clock, defineService, type Tx } from '#kernel'
import type { Bucket, Buckets, StoredUsage } from '#plugins/storage'
import type { Limits, S3Users } from '../contract.ts'
import type { S3LimitSettings } from '../settings.ts'
import { totalLimits, userLimits } from '../users/limits-policy.ts'
import { addNewDataSets, untilNextDayMs } from '../users/new-data-sets-store.ts'
import type { BucketQuotas } from './bucket-quotas.ts'
import { refuseBuckets, refuseNewDataSets, refuseStored } from './refusals.ts'

/** Compares what S3 users add with the quota of the bucket, the limits of its owner and the total ones. */
export interface StorageLimits {
  /** Before the body of an object is read. Throws ServiceQuotaExceededException. */
  refuseEarly(bucket: Bucket, bytes: number): Promise<void>
  /** Runs inside the transaction that added a version, after it was counted (I-46). Throws ServiceQuotaExceededException. */
  checkVersion(tx: Tx, bucket: Bucket): Promise<void>
  /** Runs inside the transaction that added a bucket, after it was counted (I-46). Throws TooManyBuckets, or SlowDown until the next day. */
  checkBucket(tx: Tx, bucket: Bucket): Promise<void>
}

export const storageLimits = defineService<StorageLimits>('s3.storage-limits')

interface LimitsDeps {
  readonly buckets: Pick<Buckets, 'find' | 'storedIn' | 'storedUsage'>
  readonly quotas: Pick<BucketQuotas, 'of'>
  readonly users: Pick<S3Users, 'find'>
  readonly settings: S3LimitSettings
  readonly clock: Clock
}

const noLimits: Limits = { buckets: 0, objects: 0, bytes: 0, data_sets_per_day: 0 }
const limitsStored = ({ objects, bytes }: Pick<Limits, 'objects' | 'bytes'>): boolean => objects > 0 || bytes > 0

export function createStorageLimits({ buckets, quotas, users, settings, clock }: LimitsDeps): StorageLimits {
  const total = totalLimits(settings)
  const usual = userLimits({}, settings)
  /** Buckets of the internal account have only the total limits. */
  const limitsOf = (owner: string | null): Limits => {
    if (owner === null) return noLimits
    const { ownLimits } = users.find(owner) ?? {}
    return ownLimits === undefined ? usual : userLimits({ ownLimits }, settings)
  }

  async function compare(read: Tx | undefined, bucket: Bucket, more: Pick<StoredUsage, 'versions' | 'bytes'>): Promise<void> {
    const quota = quotas.of(bucket)
    if (limitsStored(quota)) refuseStored({ of: 'bucket', limits: quota, usage: await buckets.storedIn(bucket.id, read), more })
    // The owner may have changed since the request began.
    const owner = (buckets.find(bucket.name) ?? bucket).ownerAccessKey
    const own = limitsOf(owner)
    if (!limitsStored(own) && !limitsStored(total)) return
    const usage = await buckets.storedUsage(owner, read)
    refuseStored({ of: 'user', limits: own, usage: usage.own, more })
    refuseStored({ of: 'total', limits: total, usage: usage.total, more })
  }

  return {
    refuseEarly: (bucket, bytes) => compare(undefined, bucket, { versions: 1, bytes }),
    checkVersion: (tx, bucket) => compare(tx, bucket, { versions: 0, bytes: 0 }),
    async checkBucket(tx, { ownerAccessKey: owner, defaultCopies }) {
      const own = limitsOf(owner)
      const usage = await buckets.storedUsage(owner, tx)
      refuseBuckets({ of: 'user', limits: own, usage: usage.own })
      refuseBuckets({ of: 'total', limits: total, usage: usage.total })
      if (owner === null) return
      const nowMs = clock.now()
      const added = await addNewDataSets(tx, { owner, dataSets: defaultCopies, nowMs })
      const retryMs = untilNextDayMs(nowMs)
      refuseNewDataSets({ of: 'user', limits: own, needed: added.own, retryMs })
      refuseNewDataSets({ of: 'total', limits: total, needed: added.total, retryMs })
    },
  }
}
