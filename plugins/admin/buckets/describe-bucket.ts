import { formatTime } from '#kernel'
import type { DataSetRecord, Placements, WorkCounts } from '#plugins/replication'
import type { PublicRight } from '#plugins/s3'
import type { Bucket, BucketUsage } from '#plugins/storage'
import type { BucketDetails } from '../contract.ts'
import type { BucketChange, BucketDetail, BucketItem, DataSet } from './bucket-api.ts'
import { shownOwner } from './owner-policy.ts'
import type { ShowProvider } from './show-provider.ts'
import { affectedVersionsCap, atRisk, countPieces, judgeBucket, judgeDataSet, type Observations } from './storage-health-policy.ts'

/** A bucket with the name of the S3 user that owns it. */
export interface NamedBucket extends Bucket {
  readonly ownerName: string | null
}

export function describeChange(bucket: NamedBucket): BucketChange {
  return {
    id: bucket.id,
    name: bucket.name,
    owner_access_key: shownOwner(bucket.ownerAccessKey),
    ...(bucket.ownerName === null ? {} : { owner_name: bucket.ownerName }),
    default_copies: bucket.defaultCopies,
    minimum_durable_copies: bucket.minimumDurableCopies,
    status: 'active',
  }
}

interface BucketSituation {
  readonly publicAccess: readonly PublicRight[]
  readonly usage: BucketUsage
  readonly dataSets: readonly DataSetRecord[]
  readonly countVersionsOn: Placements['countVersionsOn']
  readonly belowTarget: WorkCounts | undefined
}

export async function describeBucket(
  bucket: NamedBucket,
  { usage, dataSets, countVersionsOn, publicAccess, belowTarget }: BucketSituation,
  observations: Observations,
): Promise<BucketItem> {
  const affected = await countVersionsOn(atRisk(dataSets, observations), affectedVersionsCap + 1)
  return {
    ...describeChange(bucket),
    object_count: usage.objectCount,
    total_size_bytes: usage.totalSizeBytes,
    ...(belowTarget && { below_target: { ...belowTarget } }),
    storage_health: judgeBucket(dataSets, affected, observations),
    public_access: [...publicAccess],
    created_at: formatTime(bucket.createdAtMs),
  }
}

interface PlaceDeps {
  readonly observations: Observations
  readonly showProvider: ShowProvider
}

interface Added extends PlaceDeps {
  readonly details: readonly BucketDetails[]
}

export async function describeBucketInFull(bucket: NamedBucket, situation: BucketSituation, added: Added): Promise<BucketDetail> {
  const { observations, details } = added
  const kept = new Set(details.flatMap(({ notReplaceable = [] }) => notReplaceable))
  return {
    ...Object.assign({}, ...details.map(({ members }) => members)),
    ...(await describeBucket(bucket, situation, observations)),
    updated_at: formatTime(bucket.updatedAtMs),
    versioning_status: 'Enabled',
    versioning_enforced: true,
    data_sets: situation.dataSets.map((record) => ({
      ...describeDataSet(record, bucket.name, added),
      // Only the generation that receives writes can be replaced.
      replaceable: record.isCurrent && record.status !== 'retired' && !kept.has(record.id),
    })),
    replacements: details
      .flatMap(({ replacements = [] }) => replacements)
      .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || b.id - a.id)
      .slice(0, replacementsMax),
  }
}

const replacementsMax = 50

/** Draining data sets still serve reads. */
const readableStatuses: ReadonlySet<DataSetRecord['status']> = new Set(['ready', 'draining'])

function describeDataSet(record: DataSetRecord, bucketName: string, added: PlaceDeps): Omit<DataSet, 'replaceable'> {
  const place = describePlace(record, added)
  return {
    id: record.id,
    ...place,
    storage_health: { ...place.storage_health, ...countPieces(added.observations.byDataSet.get(record.id)) },
    bucket_name: bucketName,
    generation: record.generation,
    is_current: record.isCurrent,
    status: record.status,
    committed_copies: record.committedCopies,
    readable_copies: readableStatuses.has(record.status) ? record.committedCopies : 0,
    physical_bytes: record.physicalBytes,
    referenced_version_count: record.referencedVersions,
    current_version_count: record.currentVersions,
    ...(record.chosenReason === null ? {} : { chosen_because: { reason: record.chosenReason, detail: record.chosenDetail ?? '' } }),
    created_at: formatTime(record.createdAtMs),
    updated_at: formatTime(record.updatedAtMs),
  }
}

/** Where a data set is, and its health. */
export function describePlace(record: DataSetRecord, { observations, showProvider }: PlaceDeps) {
  return {
    bucket_id: record.bucketId,
    copy_index: record.copyIndex,
    provider_id: record.providerId,
    provider_identity: showProvider(record),
    ...(record.dataSetId === null ? {} : { data_set_id: record.dataSetId }),
    ...(record.clientDataSetId === null ? {} : { client_data_set_id: record.clientDataSetId }),
    storage_health: judgeDataSet(record, observations.byDataSet.get(record.id)),
  }
}
