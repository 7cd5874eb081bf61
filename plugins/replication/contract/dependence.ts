/** What depends on a provider. */
import { defineService } from '#kernel'

/** Contents, which are counted once in each bucket, with the bytes of them. `versions` counts those of composites with such a part too. */
export interface DependentCount {
  readonly contents: number
  readonly versions: number
  readonly bytes: bigint
}

/** The contents of a bucket with a committed copy at the provider; each count is what would hold without the provider. */
export interface BucketDependence {
  readonly bucketId: number
  readonly bucketName: string
  /** Local id of the data set. */
  readonly dataSetId: number
  readonly slot: number
  readonly all: DependentCount
  readonly belowTarget: DependentCount
  readonly belowMinimum: DependentCount
  /** No other provider has the bytes, or is known to serve them. */
  readonly noOtherCopy: DependentCount
  /** The same, and they are not cached: without the provider they are lost. */
  readonly lost: DependentCount
  /** Pieces of the contents that are not lost, and their leaves, to store at another provider. */
  readonly pieces: number
  readonly leaves: bigint
}

export interface ProviderDependence {
  readonly countedAtMs: number
  /** Sorted by name of the bucket. */
  readonly buckets: readonly BucketDependence[]
  /** Versions of composites are counted once, also those that have parts in several counts. */
  readonly total: Omit<BucketDependence, 'bucketId' | 'bucketName' | 'dataSetId' | 'slot'>
}

export interface ProviderDependences {
  /**
   * Exact, and shared by callers: a count reads the copies of each content on the provider once, in pages between which other work runs. It
   * takes at most a tenth of the time, so that the figures are up to ten times as old as a count takes.
   */
  of(providerId: string): Promise<ProviderDependence>
  /**
   * Counts the contents of which the data set had a copy that is lost or denied, and of which no readable copy is known, also not in the
   * cache. Versions of composites are not counted. Reads in pages between which other work runs.
   */
  lossesOf(dataSetId: number): Promise<DependentCount>
}

export const providerDependences = defineService<ProviderDependences>('replication.provider-dependences')
