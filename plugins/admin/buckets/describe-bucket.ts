import { formatTime } from '#kernel'
import type { DataSetRecord, Placements } from '#plugins/replication'
import type { Bucket, BucketUsage } from '#plugins/storage'
import type { BucketChange, BucketDetail, BucketItem, DataSet } from './bucket-api.ts'
import { shownOwner } from './owner-policy.ts'
import { affectedVersionsCap, judgeBucket, judgeDataSet } from './storage-health-policy.ts'

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

interface BucketSituation {
  readonly usage: BucketUsage
  readonly dataSets: readonly DataSetRecord[]
  readonly countVersionsOn: Placements['countVersionsOn']
}

export function describeBucket(bucket: Bucket, { usage, dataSets, countVersionsOn }: BucketSituation): BucketItem {
  return {
    ...describeChange(bucket),
    object_count: usage.objectCount,
    total_size_bytes: usage.totalSizeBytes,
    storage_health: judgeBucket(dataSets, countVersionsOn(dataSets, affectedVersionsCap + 1)),
    created_at: formatTime(bucket.createdAtMs),
  }
}

export function describeBucketInFull(bucket: Bucket, situation: BucketSituation): BucketDetail {
  return {
    ...describeBucket(bucket, situation),
    updated_at: formatTime(bucket.updatedAtMs),
    versioning_status: 'Enabled',
    versioning_enforced: true,
    data_sets: situation.dataSets.map((record) => describeDataSet(record, bucket.name)),
    replacements: [],
  }
}

/** Draining data sets still serve reads. */
const readableStatuses: ReadonlySet<DataSetRecord['status']> = new Set(['ready', 'draining'])

function describeDataSet(record: DataSetRecord, bucketName: string): DataSet {
  return {
    id: record.id,
    bucket_id: record.bucketId,
    bucket_name: bucketName,
    copy_index: record.copyIndex,
    generation: record.generation,
    is_current: record.isCurrent,
    // Only the generation that receives writes can be replaced.
    replaceable: record.isCurrent && record.status !== 'retired',
    provider_id: record.providerId,
    provider_identity: { registry_provider_id: record.providerId, service_url: record.serviceUrl },
    ...(record.dataSetId === null ? {} : { data_set_id: record.dataSetId }),
    ...(record.clientDataSetId === null ? {} : { client_data_set_id: record.clientDataSetId }),
    status: record.status,
    committed_copies: record.committedCopies,
    readable_copies: readableStatuses.has(record.status) ? record.committedCopies : 0,
    physical_bytes: record.physicalBytes,
    referenced_version_count: record.referencedVersions,
    current_version_count: record.currentVersions,
    storage_health: judgeDataSet(record),
    created_at: formatTime(record.createdAtMs),
    updated_at: formatTime(record.updatedAtMs),
  }
}
