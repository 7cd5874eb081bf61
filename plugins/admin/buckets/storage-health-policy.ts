/** Health of data sets by the service's own records and the observations of plugins. */
import { formatTime } from '#kernel'
import type { DataSetRecord } from '#plugins/replication'
import type { ObservedHealth } from '../contract.ts'
import type { BucketItem, DataSet } from './bucket-api.ts'

type DataSetHealth = Omit<DataSet['storage_health'], 'active_piece_count' | 'has_active_pieces'>
type HealthStatus = DataSetHealth['status']
type BucketHealth = BucketItem['storage_health']

/** Affected versions are counted up to here. */
export const affectedVersionsCap = 200

/** Observations by local id of the data sets. */
export interface Observations {
  readonly byDataSet: ReadonlyMap<number, readonly ObservedHealth[]>
  /** The plugin that keeps copies at providers is disabled. */
  readonly areDisabled?: true
  /** Set when a plugin did not answer. */
  readonly lastError?: string
}

const verdicts = {
  pending: ['unknown', 'local_status_not_ready'],
  creating: ['unknown', 'local_status_not_ready'],
  ready: ['unknown', 'copy_observation_missing'],
  draining: ['degraded', 'local_status_not_ready'],
  failed: ['unavailable', 'local_status_not_ready'],
  unavailable: ['unavailable', 'local_status_not_ready'],
  retired: ['unavailable', 'local_status_not_ready'],
} as const satisfies Record<DataSetRecord['status'], readonly [HealthStatus, string]>

/** Worst first. */
const precedence = ['unavailable', 'unknown', 'degraded', 'available'] as const

const worst = (statuses: readonly HealthStatus[]): HealthStatus => precedence.find((status) => statuses.includes(status)) ?? 'available'

/** Plugins may be plain JavaScript: an unknown status would count as available. */
export const isObservedHealth = ({ status, reasonCodes, checkedAtMs = 0 }: ObservedHealth): boolean =>
  precedence.includes(status) && Array.isArray(reasonCodes) && !Number.isNaN(new Date(checkedAtMs).getTime())

export function judgeDataSet({ status }: Pick<DataSetRecord, 'status'>, observed: readonly ObservedHealth[] = []): DataSetHealth {
  const [health, reason] = verdicts[status]
  // Only a ready data set is as healthy as it is observed.
  const own = status === 'ready' && observed.length > 0 ? [] : [{ status: health, reasonCodes: [reason] }]
  const all: readonly ObservedHealth[] = [...own, ...observed]
  const checkedAtMs = observed.flatMap((one) => one.checkedAtMs ?? [])
  const lastError = observed.find((one) => one.lastError !== undefined)?.lastError
  return {
    status: worst(all.map((one) => one.status)),
    reason_codes: [...new Set(all.flatMap(({ reasonCodes }) => reasonCodes))],
    stale: observed.some(({ isStale }) => isStale === true),
    ...(checkedAtMs.length === 0 ? {} : { last_checked_at: formatTime(Math.min(...checkedAtMs)) }),
    ...(lastError === undefined ? {} : { last_error: lastError }),
  }
}

/** The first plugin that knows them answers. */
export function countPieces(
  observed: readonly ObservedHealth[] = [],
): Pick<DataSet['storage_health'], 'active_piece_count' | 'has_active_pieces'> {
  const count = observed.find(({ activePieceCount }) => activePieceCount !== undefined)?.activePieceCount
  const hasPieces = observed.find(({ hasActivePieces }) => hasActivePieces !== undefined)?.hasActivePieces
  return {
    ...(count === undefined ? {} : { active_piece_count: count }),
    ...(hasPieces === undefined ? {} : { has_active_pieces: hasPieces }),
  }
}

/** A stale observation does not tell how the data set is now. */
const isAtRisk = ({ status, stale }: DataSetHealth): boolean => status !== 'available' || stale
const currentStatus = ({ status, stale }: DataSetHealth): HealthStatus => (stale && status !== 'unavailable' ? 'unknown' : status)

/** The data sets whose versions are at risk: not known to be healthy. */
export const atRisk = (dataSets: readonly DataSetRecord[], { byDataSet }: Observations): readonly DataSetRecord[] =>
  byDataSet.size === 0 ? dataSets : dataSets.filter((record) => isAtRisk(judgeDataSet(record, byDataSet.get(record.id))))

/** `affected`: versions with a committed copy on data sets at risk, counted up to one above the cap. */
export function judgeBucket(dataSets: readonly DataSetRecord[], affected: number, observations: Observations): BucketHealth {
  // A retired data set has ended as planned. One without versions matters only when the bucket has lost it.
  const relevant = atRisk(dataSets, observations).filter(
    ({ status, isCurrent, referencedVersions }) => status !== 'retired' && (referencedVersions > 0 || (isCurrent && isLost(status))),
  )
  const verdict = relevant.map((record) => judgeDataSet(record, observations.byDataSet.get(record.id)))
  const checkedAtMs = dataSets.flatMap(({ id }) => observations.byDataSet.get(id)?.flatMap((one) => one.checkedAtMs ?? []) ?? [])
  return {
    status: observations.areDisabled ? 'unknown' : worst(verdict.map(currentStatus)),
    reason_codes: observations.areDisabled ? ['replication_disabled'] : [...new Set(verdict.flatMap(({ reason_codes }) => reason_codes))],
    stale: verdict.some(({ stale }) => stale),
    ...(checkedAtMs.length === 0 ? {} : { last_checked_at: formatTime(Math.min(...checkedAtMs)) }),
    ...(observations.lastError === undefined ? {} : { last_error: observations.lastError }),
    abnormal_data_sets: relevant.length,
    affected_versions_capped: Math.min(affected, affectedVersionsCap),
    affected_versions_cap: affectedVersionsCap,
    affected_versions_exceeds_cap: affected > affectedVersionsCap,
  }
}

const isLost = (status: DataSetRecord['status']): boolean => status === 'unavailable' || status === 'failed'
