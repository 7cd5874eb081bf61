/** Health of data sets by the service's own records; the chain is not observed yet. */
import type { DataSetRecord } from '#plugins/replication'
import type { BucketItem, DataSet } from './bucket-api.ts'

type DataSetHealth = DataSet['storage_health']
type HealthStatus = DataSetHealth['status']
type BucketHealth = BucketItem['storage_health']

/** Affected versions are counted up to here. */
export const affectedVersionsCap = 200

const verdicts = {
  pending: ['unknown', 'local_status_not_ready'],
  creating: ['unknown', 'local_status_not_ready'],
  ready: ['unknown', 'copy_observation_missing'],
  draining: ['degraded', 'local_status_not_ready'],
  failed: ['unavailable', 'local_status_not_ready'],
  unavailable: ['unavailable', 'local_status_not_ready'],
  retired: ['unavailable', 'local_status_not_ready'],
} as const satisfies Record<DataSetRecord['status'], readonly [HealthStatus, string]>

export function judgeDataSet({ status }: Pick<DataSetRecord, 'status'>): DataSetHealth {
  const [health, reason] = verdicts[status]
  return { status: health, reason_codes: [reason], stale: false }
}

/** Worst first. */
const precedence = ['unavailable', 'unknown', 'degraded'] as const

/** `affected`: versions with a committed copy on the bucket's data sets, counted up to one above the cap. */
export function judgeBucket(dataSets: readonly DataSetRecord[], affected: number): BucketHealth {
  // A retired data set has ended as planned. One without versions matters only when the bucket has lost it.
  const relevant = dataSets.filter(
    ({ status, isCurrent, referencedVersions }) => status !== 'retired' && (referencedVersions > 0 || (isCurrent && isLost(status))),
  )
  const verdict = relevant.map(judgeDataSet)
  return {
    status: precedence.find((status) => verdict.some((health) => health.status === status)) ?? 'available',
    reason_codes: [...new Set(verdict.flatMap(({ reason_codes }) => reason_codes))],
    stale: false,
    abnormal_data_sets: relevant.length,
    affected_versions_capped: Math.min(affected, affectedVersionsCap),
    affected_versions_cap: affectedVersionsCap,
    affected_versions_exceeds_cap: affected > affectedVersionsCap,
  }
}

const isLost = (status: DataSetRecord['status']): boolean => status === 'unavailable' || status === 'failed'
