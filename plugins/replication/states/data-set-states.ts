import type { Tx } from '#kernel'
import { bucketUpdated } from '#plugins/storage'
import { endRemovals } from '../holdings/open-removals-store.ts'
import type { BatchStates } from './batch-states.ts'
import type { CopyStateDeps, CopyStates } from './copy-states.ts'
import {
  addDataSet,
  changeDataSet,
  type DataSetDetails,
  forgetSignedEnding,
  freeSlot,
  type PlannedDataSet,
} from './data-set-state-store.ts'
import { bucketOf, hasWaitingCopies, mustEnd, unfinishedContents } from './follow-store.ts'
import { type DataSetEffect, type DataSetEventName, dataSetEvent } from './tables/data-set-transitions-policy.ts'

/** Contents whose store tasks run when their bucket gets a data set; the others run at their due times. */
const notifiedMax = 500

/** I-47: the one writer of the states of data sets. What follows from an event happens in the same call. */
export interface DataSetStates {
  /** False, without changes, when the state does not take the event. */
  apply(tx: Tx, event: DataSetEventName, id: number, details?: DataSetDetails): Promise<boolean>
  /** Inserts the next generation of a slot. The caller makes it current. */
  plan(tx: Tx, plan: PlannedDataSet): Promise<number>
  /** The data set takes no more pieces: closes batches that were not sent, and loses copies in none of the sent ones (I-29). */
  endUnsent(tx: Tx, id: number): Promise<void>
  /** The data set is lost: its committed copies are. */
  loseCommitted(tx: Tx, id: number): Promise<void>
  /** Its readers hear of a change once the transaction is committed: data sets are part of their bucket's description. */
  announce(tx: Tx, id: number): Promise<void>
}

export function createDataSetStates(
  { clock, schedule, events, funds }: CopyStateDeps,
  { copies, batches }: { readonly copies: CopyStates; readonly batches: BatchStates },
): DataSetStates {
  const effects: Readonly<Record<DataSetEffect, (tx: Tx, id: number) => unknown>> = {
    ensure: (tx, id) => schedule.ensure(tx, id),
    commit: (tx, id) => schedule.commit(tx, id),
    commit_waiting: async (tx, id) => (await hasWaitingCopies(tx, id)) && schedule.commit(tx, id),
    end_due: async (tx, id) => (await mustEnd(tx, id)) && schedule.end(tx, id),
    store_waiting: storeWaiting,
    end_unsent: endUnsent,
    lose_committed: loseCommitted,
    cleanup: (tx, id) => schedule.cleanup(tx, id),
    drop_signed_end: forgetSignedEnding,
    free_slot: freeSlot,
    funds: (tx) => tx.afterCommit(() => funds.forget()),
  }

  async function follow(event: DataSetEventName, tx: Tx, id: number): Promise<void> {
    await announce(tx, id)
    for (const effect of dataSetEvent(event).follows ?? []) await effects[effect](tx, id)
  }

  async function storeWaiting(tx: Tx, id: number): Promise<void> {
    const bucket = await bucketOf(tx, id)
    if (!bucket) return
    for (const contentId of await unfinishedContents(tx, bucket.id, notifiedMax)) await schedule.store(tx, contentId)
  }

  async function announce(tx: Tx, id: number): Promise<void> {
    const bucket = await bucketOf(tx, id)
    if (bucket?.deletedAtMs === null) tx.afterCommit(() => events.publish(bucketUpdated, { bucket_name: bucket.name }))
  }

  async function endUnsent(tx: Tx, dataSetId: number): Promise<void> {
    await batches.closeUnsent(tx, dataSetId, 'the data set ended')
    await copies.apply(tx, 'data_set_ended', { dataSetId })
  }

  async function loseCommitted(tx: Tx, dataSetId: number): Promise<void> {
    await copies.apply(tx, 'data_set_lost', { dataSetId })
    // The copies may be deleted from now on and their ids reused: no open removal may refer to one.
    await endRemovals(tx, dataSetId, clock.now())
  }

  return {
    async apply(tx, event, id, details = {}) {
      if (!(await changeDataSet(tx, id, event, { ...details, nowMs: clock.now() }))) return false
      await follow(event, tx, id)
      return true
    },
    async plan(tx, plan) {
      const id = await addDataSet(tx, plan, clock.now())
      await follow('planned', tx, id)
      return id
    },
    endUnsent,
    loseCommitted,
    announce,
  }
}
