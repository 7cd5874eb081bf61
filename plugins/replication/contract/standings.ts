/** Whether copies count as durable, for plugins that watch providers and the chain: they report what they see, replication decides. */
import { defineService } from '#kernel'
import type { DataSetRecord } from './data-sets.ts'

/** Why no copy on a data set counts as durable. */
export type DeniedReason = 'proving_missed' | 'service_ended' | 'not_on_chain'

/** A data set as the chain had it at a confirmed epoch. */
export interface DataSetFinding {
  /** Local id. */
  readonly dataSetId: number
  /** Its id on chain when it was read: a reorganisation may have changed it since. */
  readonly chainId: string
  /** Null: nothing is wrong with it. */
  readonly reason: DeniedReason | null
  /** It takes no more pieces. */
  readonly isClosed: boolean
}

/** `unreachable` says nothing about the copy. */
export type CopyCheckResult = 'intact' | 'missing' | 'wrong_bytes' | 'unreachable'

/** A committed copy at its provider. */
export interface RemoteCopy {
  readonly copyId: number
  readonly contentId: number
  /** Local id. */
  readonly dataSetId: number
  readonly providerId: string
  readonly serviceUrl: string
  readonly pieceCid: string
  /** Bytes of the piece. */
  readonly length: number
}

export interface CopyCheck {
  readonly result: CopyCheckResult
  /** Received. */
  readonly bytes: number
  /** Why it is not intact, for operators. */
  readonly message?: string
}

/** The whole pieces of committed copies, read from their providers. */
export interface CopyChecks {
  /** Committed copies. */
  count(): Promise<number>
  /** Committed copies at random, each with the same probability, at most `count` and possibly fewer; without reading the others. */
  draw(count: number): Promise<readonly RemoteCopy[]>
  /** Committed copies by id, after this one. */
  page(after: number, limit: number): Promise<readonly RemoteCopy[]>
  /** Copies in doubt whose next check is due, at most so many at each provider, longest due first. */
  due(ofProvider: number): Promise<readonly RemoteCopy[]>
  /** Reads the piece, compares its piece CID, and reports what it found. One sent slowly is `unreachable`. Rejects when the signal aborts. */
  check(copy: RemoteCopy, signal: AbortSignal): Promise<CopyCheck>
}

export const copyChecks = defineService<CopyChecks>('replication.copy-checks')

/** A data set with what our records say about it. */
export interface DataSetFacts
  extends Pick<
    DataSetRecord,
    | 'id'
    | 'bucketId'
    | 'copyIndex'
    | 'generation'
    | 'isCurrent'
    | 'providerId'
    | 'serviceUrl'
    | 'dataSetId'
    | 'clientDataSetId'
    | 'status'
    | 'committedCopies'
    | 'chosenReason'
    | 'chosenDetail'
  > {
  readonly bucketName: string
  readonly denied: { readonly reason: DeniedReason; readonly sinceMs: number } | null
  /** Committed copies on it that do not count as durable by themselves, because the provider denied them. */
  readonly missingCopies: number
  readonly wrongCopies: number
  /** Copies of them for which a second check, at least ten minutes later, found the same. */
  readonly deniedCopies: number
}

/** A read of a public contract, for anybody who wants to check an answer. */
export interface ChainCall {
  readonly shows: string
  readonly contract: string
  /** A signature such as `dataSetLive(uint256)`. */
  readonly signature: string
  readonly args: readonly string[]
  /** Absent: it changes with time. */
  readonly expected?: string
}

/** A copy of a content, or of a part of it, with what proves it. Ids on chain are decimal text. */
export interface StoredCopy {
  readonly copyId: number
  readonly copyIndex: number
  /** Counts from 0. */
  readonly part: number
  readonly length: number
  readonly state: 'planned' | 'transferring' | 'parked' | 'batched' | 'unconfirmed' | 'attention' | 'committed' | 'failed'
  readonly counts: boolean
  readonly providerId: string
  readonly serviceUrl: string
  /** Local id. */
  readonly dataSetId: number
  readonly chainDataSetId: string | null
  readonly pieceCid: string | null
  readonly pieceId: string | null
  /** The hash that the provider reported. */
  readonly transaction: string | null
  readonly committedAtMs: number | null
  /** Empty unless it is committed. */
  readonly verify: readonly ChainCall[]
}

export interface Standings {
  /**
   * Findings of one look at the chain. The copies on a data set with a reason do not count as durable from then on, in the database, until
   * it is reported without one; the end of one that is closed follows the table of states. Spends nothing (I-53).
   */
  reportDataSets(findings: readonly DataSetFinding[]): Promise<void>
  /** All data sets, by bucket, slot and generation. */
  listDataSets(filter: { readonly bucketId?: number; readonly providerId?: string }): Promise<readonly DataSetFacts[]>
  /** Copies of a content; those of a composite are the copies of its parts. */
  copiesOf(contentId: number): Promise<readonly StoredCopy[]>
  /** Counts by local id the pieces that may be on chain, or gone from it, before the records say so. */
  movingPieces(): Promise<ReadonlyMap<number, number>>
}

export const standings = defineService<Standings>('replication.standings')
