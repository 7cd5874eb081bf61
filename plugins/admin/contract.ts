/**
 * @recipe a part of the overview, of the details of a bucket, of the health of data sets
 * Contribute to `overviewParts`, `bucketDetailParts`, `versionHealthParts` of `plugins/admin/contract.ts`; a part answers within 2
 * seconds, or is logged and left out.
 */
/** What other plugins may add to the admin plugin. */
import { defineExtensionPoint } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'
import type { DataSetRecord } from '#plugins/replication'
import type { Bucket } from '#plugins/storage'

export { readTime } from './contract/read-time.ts'

/** Members that a plugin adds to the overview, such as `providers` to `chain_storage_health`. */
interface OverviewPart<U extends Uses = Uses> {
  readonly name: string
  /** Member of the overview that the result is merged into; it may be a new one. */
  readonly into: string
  readonly uses: U
  /** Must be cheap: the dashboard polls every few seconds. A part that fails or is late is logged and left out. */
  summarise(services: Resolved<U>): object | Promise<object>
}

export const overviewParts = defineExtensionPoint<OverviewPart>('admin.overview')

export const defineOverviewPart = <const U extends Uses>(spec: OverviewPart<U>): OverviewPart => spec

/** A replacement as the specification describes it; more members may follow. */
interface ReplacementRecord {
  readonly id: number
  /** RFC 3339 in UTC. */
  readonly created_at: string
}

/** What a part adds to the details of a bucket. The members of several parts are combined. */
export interface BucketDetails {
  /** Replacements in any order; the 50 newest of all parts are shown. */
  readonly replacements?: readonly ReplacementRecord[]
  /** Local ids of data sets that receive writes and still cannot be replaced. */
  readonly notReplaceable?: readonly number[]
  /** New members, such as `legal_hold`. Members of the specification stay as they are. */
  readonly members?: Readonly<Record<string, unknown>>
}

interface BucketDetailPart<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** A part that fails or is late is logged and left out. */
  describe(services: Resolved<U>, bucket: Bucket & { readonly dataSets: readonly DataSetRecord[] }): BucketDetails | Promise<BucketDetails>
}

export const bucketDetailParts = defineExtensionPoint<BucketDetailPart>('admin.bucket-details')

export const defineBucketDetailPart = <const U extends Uses>(spec: BucketDetailPart<U>): BucketDetailPart => spec

/** Health of a data set as a plugin observed it. */
export interface ObservedHealth {
  readonly status: 'available' | 'degraded' | 'unavailable' | 'unknown'
  /** Codes such as `provider_blocked`; empty when available. */
  readonly reasonCodes: readonly string[]
  /** The observation is older than it should be. */
  readonly isStale?: boolean
  readonly checkedAtMs?: number
  readonly lastError?: string
  /** Counted by the chain. */
  readonly activePieceCount?: number
  readonly hasActivePieces?: boolean
}

/** Observes the data sets that hold the copies of versions. */
interface VersionHealthPart<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /**
   * Returns observations by local id of the data sets; those without an observation are missing. The worst observation counts, and none improves a data set
   * that does not work by the service's own records. A part that fails or is late is logged and shown as `last_error`.
   */
  observe(
    services: Resolved<U>,
    dataSets: readonly DataSetRecord[],
    /** Older observations are stale. Absent: as the part says. */
    staleBeforeMs?: number,
  ): ReadonlyMap<number, ObservedHealth> | Promise<ReadonlyMap<number, ObservedHealth>>
}

export const versionHealthParts = defineExtensionPoint<VersionHealthPart>('admin.version-health')

export const defineVersionHealthPart = <const U extends Uses>(spec: VersionHealthPart<U>): VersionHealthPart => spec
