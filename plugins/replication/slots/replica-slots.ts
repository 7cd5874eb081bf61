import type { Clock, Events, Tx } from '#kernel'
import { newNonce } from '../chain/typed-data.ts'
import type { PlanRefusal, ReplicaSlots, SlotProvider } from '../contract.ts'
import { contentsWithoutSource } from '../copies/records/pull-source-store.ts'
import { isCurrent, switchSlot } from '../datasets/current-slot-store.ts'
import {
  type DataSet,
  findDataSet,
  hasDataSetAt,
  insertDataSet,
  lockBucketOf,
  markWriteBlocked,
  takesPieces,
} from '../datasets/data-set-store.ts'
import { mustEnd, requestEnd } from '../datasets/end-request-store.ts'
import { announceDataSet } from '../holdings/data-set-events.ts'
import type { Schedule } from '../pipeline.ts'
import { contentsOf, countProgress, findEndBlock, hasNext, listSlots, planCopiesOn } from './slot-store.ts'

interface SlotDeps {
  readonly clock: Clock
  readonly events: Events
  readonly schedule: Pick<Schedule, 'ensure' | 'store' | 'pull' | 'commit' | 'end'>
}

/** States of a data set that can be replaced: its creation is not open any more. */
const createdStates: ReadonlySet<DataSet['state']> = new Set(['ready', 'write_blocked', 'lost'])

export function createReplicaSlots(deps: SlotDeps): ReplicaSlots {
  const { clock, schedule } = deps

  async function refusal(tx: Tx, source: DataSet, provider: SlotProvider): Promise<PlanRefusal | undefined> {
    const { id, bucketId, state, pieceBytesMax } = source
    if (!(await lockBucketOf(tx, bucketId))) return 'bucket_deleted'
    if (!(await isCurrent(tx, id))) return 'not_current'
    if (!createdStates.has(state)) return 'not_created'
    // Each generation is paid for: a slot never has two that may become current.
    if (await hasNext(tx, source)) return 'next_planned'
    if (await hasDataSetAt(tx, { bucketId, providerId: provider.providerId })) return 'provider_in_use'
    return provider.pieceBytesMax < pieceBytesMax ? 'provider_too_small' : undefined
  }

  return {
    list: listSlots,
    contentsOf,
    endBlockedBy: findEndBlock,
    progress: (read, move) => countProgress(read, { ...move, nowMs: clock.now() }),

    async planNext(tx, { from, provider }) {
      const source = await findDataSet(tx, from)
      const why = source ? await refusal(tx, source, provider) : 'not_current'
      if (!source || why) return { refusal: why ?? 'not_current' }
      const { address: providerAddress, payee, providerId, serviceUrl, pieceBytesMax } = provider
      const place = { bucketId: source.bucketId, slot: source.slot, clientDataSetId: newNonce() }
      const id = await insertDataSet(tx, { ...place, providerId, providerAddress, payee, serviceUrl, pieceBytesMax }, clock.now())
      await schedule.ensure(tx, id)
      await announceDataSet(deps, tx, id)
      return { id }
    },

    async switch(tx, { from, to }) {
      const target = await findDataSet(tx, to)
      if (target?.state !== 'ready' || (await mustEnd(tx, to)) || !(await switchSlot(tx, from, to))) return false
      await markWriteBlocked(tx, from, { message: `replaced by data set ${to}`, nowMs: clock.now() })
      // Ends what was not sent to it, and runs the store tasks of those contents.
      await schedule.commit(tx, from)
      for (const id of [from, to]) await announceDataSet(deps, tx, id)
      return true
    },

    async addCopies(tx, { dataSetId, contentIds }) {
      const dataSet = await findDataSet(tx, dataSetId)
      if (!dataSet || !takesPieces(dataSet.state) || !(await isCurrent(tx, dataSetId)) || (await mustEnd(tx, dataSetId))) return false
      await planCopiesOn(tx, { dataSetId, contentIds, nowMs: clock.now() })
      await schedule.pull(tx, dataSetId)
      for (const contentId of await contentsWithoutSource(tx, dataSetId, contentIds)) await schedule.store(tx, contentId)
      return true
    },

    async requestEnd(tx, { dataSetId, cause }) {
      if (await isCurrent(tx, dataSetId)) return false
      await requestEnd(tx, { dataSetId, cause, nowMs: clock.now() })
      await schedule.end(tx, dataSetId)
      await announceDataSet(deps, tx, dataSetId)
      return true
    },
  }
}
