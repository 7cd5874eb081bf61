/** The answer of what one bucket costs. */
import type { DataSetRecord, PaidFees } from '#plugins/replication'
import type { Bucket } from '#plugins/storage'
import type { CostPolicy } from '#plugins/wallet'
import type { BookedRail } from '../book/book-store.ts'
import type { Book } from '../book/cost-book.ts'
import type { BucketCost } from './cost-api.ts'
import { showFees, showReading } from './show-parts.ts'
import { showLocked, showRate, sumRails } from './sum-costs-policy.ts'

interface BucketFacts {
  readonly bucket: Bucket
  readonly book: Book
  /** The rails of the bucket. */
  readonly rails: readonly BookedRail[]
  readonly records: readonly DataSetRecord[]
  readonly fees: PaidFees
  readonly paid: BucketCost['paid']
  /** Is undefined while the prices cannot be read. */
  readonly saved: bigint | undefined
  readonly policy: CostPolicy
  readonly nowMs: number
}

export function describeBucketCost({ bucket, book, rails, records, fees, paid, saved, policy, nowMs }: BucketFacts): BucketCost {
  const sum = sumRails(rails)
  const byDataSet = Map.groupBy(rails, ({ dataSetId }) => dataSetId)
  return {
    bucket_id: bucket.id,
    bucket: bucket.name,
    ...showReading(book.read, nowMs),
    rate: book.known ? showRate(sum.rate, policy) : null,
    locked: book.known ? showLocked(sum) : null,
    fees: showFees(fees),
    data_sets: records
      .filter((record) => record.dataSetId !== null)
      .map((record) => describeDataSet(record, byDataSet.get(record.id) ?? [], policy)),
    paid,
    ...(saved !== undefined && { fees_saved: String(saved) }),
  }
}

function describeDataSet(record: DataSetRecord, rails: readonly BookedRail[], policy: CostPolicy): BucketCost['data_sets'][number] {
  const storage = rails.find(({ kind }) => kind === 'storage')
  const sum = sumRails(rails)
  return {
    id: record.id,
    copy_index: record.copyIndex,
    provider_id: record.providerId,
    ...(record.dataSetId === null ? {} : { data_set_id: record.dataSetId }),
    status: storage === undefined ? 'unread' : storage.endEpoch === 0n ? 'active' : 'ending',
    rate: showRate(sum.rate, policy),
    locked: showLocked(sum),
    billed_bytes: storage ? String(policy.billedBytes(storage.leaves)) : null,
    ...(storage && storage.endEpoch > 0n ? { end_epoch: String(storage.endEpoch) } : {}),
  }
}
