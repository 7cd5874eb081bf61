import { formatTime } from '#kernel'
import type { Bucket, BucketUsage, DataSetRecord } from '#plugins/storage'
import type { BucketChange, BucketDetail, BucketItem, DataSet } from './bucket-api.ts'
import { shownOwner } from './owner-policy.ts'

export function describeChange(bucket: Bucket): BucketChange {
  return {
    id: bucket.id,
    name: bucket.name,
    owner_access_key: shownOwner(bucket.ownerAccessKey),
    default_copies: bucket.defaultCopies,
    minimum_durable_copies: bucket.minimumDurableCopies,
    status: 'active',
  }
}

export function describeBucket(bucket: Bucket, { objectCount, totalSizeBytes }: BucketUsage): BucketItem {
  return {
    ...describeChange(bucket),
    object_count: objectCount,
    total_size_bytes: totalSizeBytes,
    created_at: formatTime(bucket.createdAtMs),
  }
}

export function describeBucketInFull(bucket: Bucket, usage: BucketUsage, dataSets: readonly DataSetRecord[]): BucketDetail {
  return {
    ...describeBucket(bucket, usage),
    updated_at: formatTime(bucket.updatedAtMs),
    versioning_status: 'Enabled',
    versioning_enforced: true,
    data_sets: dataSets.map((record) => describeDataSet(record, bucket.name)),
    replacements: [],
  }
}

/** What leaves still serves its copies. */
const readableStatuses: ReadonlySet<DataSetRecord['status']> = new Set(['ready', 'draining'])

function describeDataSet(record: DataSetRecord, bucketName: string): DataSet {
  return {
    id: record.id,
    bucket_id: record.bucketId,
    bucket_name: bucketName,
    copy_index: record.copyIndex,
    generation: record.generation,
    is_current: record.isCurrent,
    // Only what receives writes can be replaced.
    replaceable: record.isCurrent && record.status !== 'retired',
    provider_id: record.providerId,
    provider_identity: { registry_provider_id: record.providerId, service_url: record.serviceUrl },
    ...(record.dataSetId === null ? {} : { data_set_id: record.dataSetId }),
    ...(record.clientDataSetId === null ? {} : { client_data_set_id: record.clientDataSetId }),
    status: record.status,
    committed_copies: record.committedCopies,
    readable_copies: readableStatuses.has(record.status) ? record.committedCopies : 0,
    physical_bytes: record.physicalBytes,
    created_at: formatTime(record.createdAtMs),
    updated_at: formatTime(record.updatedAtMs),
  }
}
