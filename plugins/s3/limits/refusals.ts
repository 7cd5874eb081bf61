/** Refusals of what exceeds a limit. Each names the limit, the use, and who can change it. */
import type { StoredUsage } from '#plugins/storage'
import type { LimitName, Limits } from '../contract.ts'
import { S3Error } from '../wire/s3-error.ts'

interface Compared {
  readonly of: 'user' | 'total'
  readonly limits: Limits
}

interface Stored {
  readonly of: 'bucket' | Compared['of']
  readonly limits: Pick<Limits, 'objects' | 'bytes'>
  readonly usage: Pick<StoredUsage, 'versions' | 'bytes'>
  /** What the request would add. */
  readonly more: Pick<StoredUsage, 'versions' | 'bytes'>
}

const whose = { bucket: 'the bucket', user: 'the owner of the bucket', total: 'this gateway' } as const

/** The operator may raise the quota of a bucket, the limit in the settings, and that of a user also alone. */
function remedy(of: Stored['of'], name: LimitName): string {
  if (of === 'bucket') return 'The operator of the gateway can raise the quota of the bucket (svc admin bucket quota).'
  return of === 'user'
    ? `The operator of the gateway can raise it for all users (s3.limits.user_${name}) or for one (svc admin s3-user limits).`
    : `The operator of the gateway can raise it (s3.limits.total_${name}).`
}

/** Throws ServiceQuotaExceededException. */
export function refuseStored({ of, limits, usage, more }: Stored): void {
  const wanted = { objects: usage.versions + more.versions, bytes: usage.bytes + more.bytes }
  for (const name of ['objects', 'bytes'] as const) {
    const limit = limits[name]
    if (limit === 0 || wanted[name] <= limit) continue
    const what = name === 'objects' ? 'object versions' : 'bytes in all object versions'
    throw new S3Error('ServiceQuotaExceededException', {
      message: `With this request ${whose[of]} would have ${wanted[name]} ${what}; the limit is ${limit}. Delete versions that are not needed. ${remedy(of, name)}`,
    })
  }
}

/** `usage`: with the new bucket. Throws TooManyBuckets. */
export function refuseBuckets({ of, limits: { buckets: limit }, usage }: Compared & { readonly usage: StoredUsage }): void {
  if (limit === 0 || usage.buckets <= limit) return
  const owner = of === 'user' ? 'you' : whose.total
  throw new S3Error('TooManyBuckets', {
    message: `With this bucket ${owner} would have ${usage.buckets} buckets; the limit is ${limit}. Delete buckets that are not needed. ${remedy(of, 'buckets')}`,
  })
}

/** `needed`: on this day, with the new bucket. Throws SlowDown. */
export function refuseNewDataSets({
  of,
  limits: { data_sets_per_day: limit },
  needed,
  retryMs,
}: Compared & { readonly needed: number; readonly retryMs: number }): void {
  if (limit === 0 || needed <= limit) return
  const whoseBuckets = of === 'user' ? 'The buckets that you created' : 'The buckets that users created'
  throw new S3Error('SlowDown', {
    message: `${whoseBuckets} today (UTC) would need ${needed} paid data sets with this one, one for each copy; the limit is ${limit} a day. Try again tomorrow. ${remedy(of, 'data_sets_per_day')}`,
    headers: { 'retry-after': String(Math.ceil(retryMs / 1000)) },
  })
}
