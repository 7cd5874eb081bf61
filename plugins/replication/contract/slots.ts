/** Replica slots and the generations of their data sets, for plugins that move copies to another provider. */
import { defineService, type Reader, type Tx } from '#kernel'
import type { AvailableProvider, Candidate, ProviderChoice } from '#plugins/providers'

/** The provider of a data set. `pieceBytesMax`: the largest piece that it takes. */
export type SlotProvider = Pick<AvailableProvider, 'providerId' | 'address' | 'payee' | 'serviceUrl' | 'pieceBytesMax'>

/** One data set of a slot. Ids of data sets are local ones. */
interface SlotGeneration {
  readonly id: number
  readonly generation: number
  readonly providerId: string
  readonly serviceUrl: string
  /** Its id on chain once created. */
  readonly chainId: string | null
  /**
   * planned, creating: not on chain yet · ready: takes and serves pieces · write_blocked, retiring: serves only · retired, abandoned: ended,
   * final · lost: not on chain any more.
   */
  readonly state: 'planned' | 'creating' | 'ready' | 'write_blocked' | 'retiring' | 'retired' | 'abandoning' | 'abandoned' | 'lost'
  readonly lastError: string | null
  /** Why its service is being ended, or was; null: it is kept. */
  readonly endCause: EndCause | null
  /** Epoch up to which its service is paid, as decimal text, once its end is on chain and as long as the chain has it. */
  readonly endEpoch: string | null
}

export interface ReplicaSlot {
  readonly slot: number
  /** The generation that gets new copies; null after the end of the last one. */
  readonly currentId: number | null
  /** Oldest first. */
  readonly generations: readonly SlotGeneration[]
}

/** replaced: the next generation has its contents · unused: it was planned and never became current. */
export type EndCause = 'bucket_deleted' | 'replaced' | 'unused'

/**
 * bucket_deleted, not_current, not_created: of the data set to replace · next_planned: the slot already has a next generation ·
 * provider_in_use: the bucket has another data set there · provider_too_small: pieces of the slot may not fit.
 */
export type PlanRefusal = 'bucket_deleted' | 'not_current' | 'not_created' | 'next_planned' | 'provider_in_use' | 'provider_too_small'

/**
 * What the tasks of a data set are at. waiting: `reason` is the word of the wait, such as `funding`, `spend_limit`, `payment_debt`,
 * `provider`, `chain` or `target_creating` · stopped: no task works on it; `reason` is the code of the failure, null without one.
 */
export interface SlotWork {
  readonly kind: 'working' | 'waiting' | 'stopped'
  readonly reason: string | null
  readonly message: string | null
}

/**
 * The copy of a content on a data set. none: not added · idle: added, and no task makes it · pending: waits for its turn · failed: its task
 * failed · active: being transferred, or in a transaction that is not final, or in doubt · final: no reorganisation reverts it · deleted:
 * the content has no versions.
 */
export type ContentWork =
  | 'none'
  | 'idle'
  | 'pending'
  | 'retrying'
  | 'waiting_source'
  | 'failed'
  | 'active'
  | 'attention'
  | 'final'
  | 'deleted'

/** What is known of the copy of a content on a data set. */
export interface ContentWorkRecord {
  readonly work: ContentWork
  /** Null unless a retry is due later. */
  readonly nextRetryAtMs: number | null
  readonly lastError: string | null
}

/** Progress of moving the contents of one generation to another. Counts contents with versions; each is in one count besides the total. */
export interface SlotProgress {
  /** Contents whose bytes the provider of the old generation has. */
  readonly total: number
  readonly copied: number
  /** No copy was added yet, or it waits for its turn. */
  readonly pending: number
  /** Being transferred, or in a transaction that is not confirmed. */
  readonly active: number
  readonly retrying: number
  /** Neither the cache nor the provider of another slot has the bytes. */
  readonly waitingForSource: number
  /** An operator was asked about its transaction. */
  readonly attention: number
  readonly nextRetryAtMs: number | null
}

/**
 * Calls with a `tx` run in the caller's transaction, together with the rows of the caller that go with them. Every call may be repeated: a
 * repeated one finds what the first did.
 */
export interface ReplicaSlots {
  /** Sorted by slot. */
  list(read: Reader, bucketId: number): Promise<readonly ReplicaSlot[]>
  /** Whether each of these providers could take the slot of the data set, best first. Sends no request. */
  judge(
    read: Reader,
    dataSetId: number,
    available: readonly AvailableProvider[],
  ): Promise<readonly Candidate<AvailableProvider & ProviderChoice>[]>
  /** Plans the next generation of the slot of the current data set `from`, whose creation begins after the commit. It gets no copies before `switch`. */
  planNext(
    tx: Tx,
    plan: { readonly from: number; readonly provider: SlotProvider },
  ): Promise<{ readonly id: number } | { readonly refusal: PlanRefusal }>
  /** What the task that creates the data set or ends its service is at; for a created one that is kept, its additions and its provider. */
  work(read: Reader, dataSetId: number): Promise<SlotWork>
  /** Enqueues the task of the creation or of the end again, unless it is open. For work that stopped. */
  resume(tx: Tx, dataSetId: number): Promise<void>
  /**
   * Asks the chain and the provider whether a created data set takes pieces: undefined when it does, else the reason `target_writable` or
   * `target`, when the provider does not answer.
   */
  notWritable(
    dataSetId: number,
    signal: AbortSignal,
  ): Promise<{ readonly reason: 'target_writable' | 'target'; readonly message: string } | undefined>
  /**
   * Makes `to` the current data set of its slot, if that still is `from` and `to` is ready; else nothing changes, and the result is false.
   * `from` then only serves reads: its copies that were not sent are stored on `to` instead.
   */
  switch(tx: Tx, change: { readonly from: number; readonly to: number }): Promise<boolean>
  /**
   * Contents with versions whose bytes the provider of the data set has, or which were lost with it, by id. Those that were not sent to it are
   * stored by `switch`.
   */
  contentsOf(read: Reader, page: { readonly dataSetId: number; readonly after: number; readonly limit: number }): Promise<readonly number[]>
  /**
   * Adds a copy of each content to a current data set, and runs the tasks that make these copies, also those that rest for want of a
   * source. Leaves out contents without versions and those larger than its largest piece. False: the data set takes no copies.
   */
  addCopies(tx: Tx, copies: { readonly dataSetId: number; readonly contentIds: readonly number[] }): Promise<boolean>
  /** The copy of each content on the data set, by content id. `lastError`: of a failed task that made it. */
  workOn(
    read: Reader,
    copies: { readonly dataSetId: number; readonly contentIds: readonly number[] },
  ): Promise<ReadonlyMap<number, ContentWorkRecord>>
  /**
   * Asks the provider for each of these final copies. Returns the contents that it serves. A missing piece is in doubt from then on: it is
   * checked, and stored again when it is denied.
   */
  served(copies: { readonly dataSetId: number; readonly contentIds: readonly number[] }, signal: AbortSignal): Promise<readonly number[]>
  /**
   * Cheap to call every few seconds: callers share the counts of a move, which take at most a tenth of the time. A count reads each content
   * of `from` once, in pages between which other work runs: about 2 s for 1,000,000. So the figures are up to ten times as old as a count
   * takes, and a caller that finds them out of date waits for the next count.
   */
  progress(move: { readonly from: number; readonly to: number }): Promise<SlotProgress>
  /** Why the service of a replaced data set must not be ended yet, for operators; undefined when it may. */
  endBlockedBy(read: Reader, dataSetId: number): Promise<string | undefined>
  /**
   * The service of the data set must end. It is terminated only when nothing blocks its end; its rows are kept until the bucket is deleted.
   * False: it is the current one of its slot, or unknown.
   */
  requestEnd(tx: Tx, end: { readonly dataSetId: number; readonly cause: Exclude<EndCause, 'bucket_deleted'> }): Promise<boolean>
}

export const replicaSlots = defineService<ReplicaSlots>('replication.slots')
