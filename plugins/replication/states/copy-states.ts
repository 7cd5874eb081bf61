/** @walk copies 14: reports the change to storage in the same transaction */
import type { Clock, Events, Tx } from '#kernel'
import type { CachedContents, Contents } from '#plugins/storage'
import type { Funds } from '#plugins/wallet'
import { addRemovals, contentsBeingDeleted, dataSetsToClean } from '../holdings/release-store.ts'
import { nextCheckMs, type Pace } from '../pace.ts'
import type { CommitCounts } from './commit-counts.ts'
import { confirmationUpdated } from './copy-events.ts'
import { addCopies, addCopiesOn, type ChangedCopy, type CopyDetails, type CopyPlace, changeCopies } from './copy-state-store.ts'
import { bytesOfCopies, dataSetsLacking } from './follow-store.ts'
import { type CopyEffect, type CopyEventName, copyEvent } from './tables/copy-transitions-policy.ts'

/** Enqueues the tasks that follow from a change of state. Times in clock milliseconds; default now. */
export interface StateSchedule {
  store(tx: Tx, contentId: number): Promise<void>
  ensure(tx: Tx, dataSetId: number): Promise<void>
  pull(tx: Tx, dataSetId: number, atMs?: number): Promise<void>
  commit(tx: Tx, dataSetId: number, atMs?: number): Promise<void>
  /** Removes the released pieces of a data set. Returns the task's id. */
  cleanup(tx: Tx, dataSetId: number, atMs?: number): Promise<number>
  /** Ends a data set that must end. */
  end(tx: Tx, dataSetId: number): Promise<void>
  /** Verifies landed batches and data sets on chain until they are final. */
  verifyLandings(tx: Tx, atMs?: number): Promise<void>
}

export interface CopyStateDeps {
  readonly clock: Clock
  readonly pace: Pace
  readonly schedule: StateSchedule
  readonly events: Events
  readonly uploadEvents: { changed(tx: Tx, contentIds: readonly number[]): void }
  readonly contents: Pick<Contents, 'recount' | 'subtractCopies' | 'markStoring'>
  readonly cached: Pick<CachedContents, 'reconcileCapacity'>
  readonly funds: Pick<Funds, 'forget'>
  readonly committed: Pick<CommitCounts, 'add'>
}

interface NewCopies {
  readonly contentId: number
  readonly pieceId: number
  readonly dataSetIds: readonly number[]
}

/** I-47: the one writer of the states of copies. What follows from an event happens in the same call. */
export interface CopyStates {
  /** The event happens to the copies of the place that are in a state that takes it. Returns them, except those of a whole data set. */
  apply(tx: Tx, event: CopyEventName, place: CopyPlace, details?: CopyDetails): Promise<readonly ChangedCopy[]>
  /** Plans one copy on each data set that is still current in its slot, unless the content was deleted. Idempotent. */
  plan(tx: Tx, copies: NewCopies): Promise<void>
  /** Plans a copy of each content on a data set that takes pieces, whatever the target of the content. Idempotent. */
  planOn(tx: Tx, dataSetId: number, contentIds: readonly number[]): Promise<void>
  /** Copies or pieces of the contents changed in another way: counts them again, and releases those of deleted contents. */
  recount(tx: Tx, contentIds: readonly number[]): Promise<void>
  /**
   * Releases the copies of deleted contents: free ones end, each committed one gets a removal. Those in a batch follow when it is decided.
   * Returns the tasks that remove pieces.
   */
  release(tx: Tx, contentIds: readonly number[]): Promise<readonly number[]>
}

export function createCopyStates(deps: CopyStateDeps): CopyStates {
  const { clock, pace, schedule, events, uploadEvents, contents } = deps

  const effects = effectsOf(deps, recount)

  async function change(tx: Tx, event: CopyEventName, place: CopyPlace, details: CopyDetails = {}): Promise<readonly ChangedCopy[]> {
    const changed: ChangedCopy[] = []
    for (let hasMore = true; hasMore; ) {
      const page = await changeCopies(tx, event, place, { ...details, nowMs: clock.now() })
      hasMore = page.hasMore
      if (page.copies.length === 0) break
      if (!('dataSetId' in place)) changed.push(...page.copies)
      callOperator(tx, event, page.copies)
      for (const effect of copyEvent(event).follows ?? []) await effects[effect](tx, page.copies)
    }
    return changed
  }

  /** An operator is called for each copy in `attention`, and hears when it leaves the state. */
  function callOperator(tx: Tx, event: CopyEventName, copies: readonly ChangedCopy[]): void {
    const isCalled = copyEvent(event).to === 'attention'
    for (const { id, state } of copies) {
      if (!isCalled && state !== 'attention') continue
      tx.afterCommit(() => events.publish(confirmationUpdated, { copy_id: id, state: isCalled ? 'needs_attention' : 'cleared' }))
    }
  }

  async function recount(tx: Tx, contentIds: readonly number[]): Promise<void> {
    await release(tx, contentIds)
    await contents.recount(tx, contentIds, clock.now())
  }

  async function release(tx: Tx, contentIds: readonly number[]): Promise<readonly number[]> {
    const deleted = contentIds.length === 0 ? [] : await contentsBeingDeleted(tx, contentIds)
    if (deleted.length === 0) return []
    await change(tx, 'content_deleted', { contentIds: deleted })
    await addRemovals(tx, deleted, clock.now())
    // Objects are often deleted in bulk, and one request takes many pieces.
    const atMs = clock.now() + pace.batchingWindowMs
    const tasks: number[] = []
    for (const id of await dataSetsToClean(tx, deleted)) tasks.push(await schedule.cleanup(tx, id, atMs))
    return tasks
  }

  return {
    apply: change,
    async plan(tx, { contentId, pieceId, dataSetIds }) {
      const nowMs = clock.now()
      const isLive = await addCopies(tx, { contentId, pieceId, dataSetIds, nowMs })
      if (isLive && (await contents.markStoring(tx, contentId, nowMs))) uploadEvents.changed(tx, [contentId])
    },
    planOn: (tx, dataSetId, contentIds) => addCopiesOn(tx, dataSetId, contentIds, clock.now()),
    recount,
    release,
  }
}

type Effect = (tx: Tx, copies: readonly ChangedCopy[]) => unknown

function effectsOf(
  { clock, pace, schedule, uploadEvents, contents, cached, funds, committed }: CopyStateDeps,
  recount: CopyStates['recount'],
): Readonly<Record<CopyEffect, Effect>> {
  const contentsOf = (copies: readonly ChangedCopy[]) => [...new Set(copies.map(({ contentId }) => contentId))]
  const dataSetsOf = (copies: readonly ChangedCopy[]) => [...new Set(copies.map(({ dataSetId }) => dataSetId))]
  const each = async (ids: readonly number[], enqueue: (id: number) => Promise<void>) => {
    for (const id of ids) await enqueue(id)
  }
  const soonMs = () => clock.now() + pace.batchingWindowMs
  return {
    announce: (tx, copies) => uploadEvents.changed(tx, contentsOf(copies)),
    recount: (tx, copies) => recount(tx, contentsOf(copies)),
    // Before its event, either all of the copies were committed or none.
    withhold: (tx, copies) => contents.subtractCopies(tx, contentsOf(copies), copies[0]?.state === 'committed' ? 1 : 0),
    store: (tx, copies) => each(contentsOf(copies), (id) => schedule.store(tx, id)),
    commit: (tx, copies) => each(dataSetsOf(copies), (id) => schedule.commit(tx, id)),
    batch: (tx, copies) => each(dataSetsOf(copies), (id) => schedule.commit(tx, id, soonMs())),
    check: (tx, copies) => each(dataSetsOf(copies), (id) => schedule.commit(tx, id, clock.now() + nextCheckMs(pace, 0))),
    pull: (tx, copies) => each(dataSetsOf(copies), (id) => schedule.pull(tx, id)),
    pull_others: async (tx, copies) => each(await dataSetsLacking(tx, contentsOf(copies)), (id) => schedule.pull(tx, id, soonMs())),
    capacity: (tx) => cached.reconcileCapacity(tx),
    funds: (tx) => tx.afterCommit(() => funds.forget()),
    count: async (tx, copies) => {
      const ids = copies.map(({ id }) => id)
      const bytes = await bytesOfCopies(tx, ids)
      tx.afterCommit(() => committed.add(ids.length, bytes))
    },
  }
}
