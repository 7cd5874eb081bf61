/** Data sets of buckets. */
/** One generation of a replica slot of a bucket. */
export interface DataSetRecord {
  readonly id: number
  readonly bucketId: number
  readonly copyIndex: number
  readonly generation: number
  readonly isCurrent: boolean
  readonly providerId: string
  readonly serviceUrl: string
  readonly dataSetId: string | null
  readonly clientDataSetId: string | null
  readonly status: 'pending' | 'creating' | 'ready' | 'failed' | 'unavailable' | 'draining' | 'retired'
  readonly committedCopies: number
  readonly physicalBytes: number
  /** Versions with a committed copy here, and how many of them are current. */
  readonly referencedVersions: number
  readonly currentVersions: number
  /** Why svc chose the provider; null when an operator did. */
  readonly chosenReason: string | null
  readonly chosenDetail: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
}
