/** Copies of contents and the states of replication. */
import { defineService } from '#kernel'
import type { DataSetRecord } from './data-sets.ts'

/** A version with committed copies on the requested data sets. */
export interface DependentVersion {
  readonly contentId: number
  readonly key: string
  readonly versionId: string
  readonly isCurrent: boolean
  readonly size: number
  readonly etag: string
  readonly contentType: string
  readonly createdAtMs: number
  /** Local ids of the requested data sets that have a copy. */
  readonly dataSetIds: readonly number[]
  /** Copies that can be read from other data sets. */
  readonly otherReadableCopies: number
}

export type ObjectState = 'cached' | 'uploading' | 'committing' | 'replicating' | 'stored' | 'failed'
export type CopyStatus = 'pending' | 'piece_ready' | 'committing' | 'committed' | 'failed'

export interface CopyRecord {
  readonly copyIndex: number
  readonly status: CopyStatus
  readonly providerId: string | null
  readonly dataSetId: string | null
  readonly pieceId: string | null
  readonly transferMethod: 'ingress' | 'peer_pull'
  readonly retrievalUrl: string | null
  readonly isNewDataSet: boolean
  readonly lastError: string | null
  readonly waitReason: string | null
  /** Its confirmation needs an operator. */
  readonly attention?: { readonly code: string; readonly atMs: number }
}

/** A running upload to the first provider. */
export interface UploadRecord {
  /** Starts at 1. */
  readonly attempt: number
  readonly sentBytes: number
  readonly totalBytes: number
  readonly updatedAtMs: number
}

/** Where a version's bytes are, and its replication state. */
export interface Placement {
  readonly state: ObjectState
  readonly isCached: boolean
  /** Every byte is in the cache or on chain. Absent: as `isCached` and the copies say. */
  readonly isReadable?: boolean
  /** A copy is missing, and no task works on it. Not set for an object that failed. */
  readonly isStuck?: boolean
  /** It lacks copies, and a committed one does not count as durable: its provider or the chain denies it. */
  readonly isDenied?: boolean
  /** Null while it is not computed, and for an object of several pieces. */
  readonly pieceCid: string | null
  readonly requestedCopies: number
  /** Where its bytes are in the pieces of the copies. Absent: they are all of it. */
  readonly pack?: { readonly id: number; readonly offset: number; readonly length: number }
  readonly copies: readonly CopyRecord[]
  /** Why replication is incomplete, in words for the operator. */
  readonly message: string | null
  readonly updatedAtMs: number
  readonly upload: UploadRecord | null
}

/**
 * What happens to the copies of an object. complete: it has all · working: a task makes the missing ones · waiting: all tasks that make them
 * wait · stuck: copies are missing, and nothing works on them. A failed task is no work, dismissed or not.
 */
export type CopyWork = 'complete' | 'working' | 'waiting' | 'stuck'

/** Copies of a content against its target. */
export interface CopyProgress {
  readonly work: CopyWork
  readonly target: number
  /** Distinct slots with a committed copy. */
  readonly stored: number
  /** Why its tasks wait, and when the first of them runs again. */
  readonly waitReason: string | null
  readonly waitMessage: string | null
  readonly waitUntilMs: number | null
  /** The best copy of each slot that has one. */
  readonly slots: readonly Pick<CopyRecord, 'copyIndex' | 'status' | 'providerId'>[]
}

/** State of a content as shown in lists. */
export interface ContentSituation
  extends Pick<Placement, 'state' | 'isCached' | 'isReadable' | 'isStuck' | 'isDenied' | 'pieceCid' | 'upload'> {
  readonly isOnChain: boolean
  /** Absent while the plugin replication is disabled. */
  readonly copies?: CopyProgress
}

/** Current versions below their target. */
export type WorkCounts = Readonly<Record<Exclude<CopyWork, 'complete'>, number>>

/** Why current versions below their target are stuck or wait: one entry for each provider, or reason that concerns no provider. */
export interface ShortfallCause {
  readonly work: 'stuck' | 'waiting'
  readonly providerId: string | null
  /** Code of the failure, or word of the wait. Null: none is recorded. */
  readonly reason: string | null
  readonly message: string | null
  readonly objects: number
}

/** Current versions of all buckets. States without versions may be missing. */
export interface ObjectCounts {
  readonly byState: ReadonlyMap<ObjectState, number>
  /** Versions that have not failed, but whose bytes are neither in the cache nor at a provider. */
  readonly unavailable: number
  /** Versions that have not failed and lack a copy that no task works on. */
  readonly stuck: number
  /** Versions below their target; `stuck` includes those that failed. */
  readonly byWork: WorkCounts
  /** The same by id of the bucket; a bucket without any is missing. */
  readonly byBucket: ReadonlyMap<number, WorkCounts>
  /** Most objects first, at most 100. */
  readonly causes: readonly ShortfallCause[]
}

/** No current version is below its target. */
export const noShortfall = {
  byWork: { working: 0, waiting: 0, stuck: 0 },
  byBucket: new Map(),
  causes: [],
} satisfies Pick<ObjectCounts, 'byWork' | 'byBucket' | 'causes'>

/** Reads for operators: copies, data sets and states of contents. */
export interface Placements {
  /** Returns undefined when the bucket has no such version. A delete marker has no copies. */
  ofVersion(bucketId: number, versionId: string): Promise<Placement | undefined>
  /** States for a page of versions, by content id; cheaper than `ofVersion`. */
  ofContents(contentIds: readonly number[]): Promise<ReadonlyMap<number, ContentSituation>>
  /** Returns the contents whose copies have this state. Stored contents are left out by one statement, unless they are asked for. */
  ofWork(contentIds: readonly number[], work: CopyWork): Promise<ReadonlyMap<number, ContentSituation>>
  /** Returns those of all these buckets, sorted by bucket, slot and generation. */
  dataSetsOf(bucketIds: readonly number[]): Promise<readonly DataSetRecord[]>
  /** Versions with a committed copy on one of the data sets (local ids), sorted by key, then newest first. */
  versionsOn(request: {
    readonly bucketId: number
    readonly dataSetIds: readonly number[]
    readonly prefix?: string
    readonly key?: string
    readonly after?: { readonly key: string; readonly versionId: string }
    readonly limit: number
  }): Promise<{ readonly versions: readonly DependentVersion[]; readonly isTruncated: boolean }>
  /** Number of data sets of all buckets by status. A status without any is missing. */
  countDataSets(): Promise<ReadonlyMap<DataSetRecord['status'], number>>
  /** Versions with a committed copy on one of the data sets. Counting stops at `max`. */
  countVersionsOn(dataSets: readonly DataSetRecord[], max: number): Promise<number>
  /** Copies whose confirmation needs an operator. */
  countConfirmations(): Promise<number>
  /** Data sets that need a task, to get copies, lose pieces or end, and have none. */
  countStuckDataSets(): Promise<number>
  /** May be some seconds old, because counting is slow while many objects are being stored. */
  countObjects(): Promise<ObjectCounts>
}

export const placements = defineService<Placements>('replication.placements')
