import type { Tx } from '#kernel'
import { newNonce } from '../chain/typed-data.ts'
import type { PlanRefusal, ReplicaSlots, SlotProvider } from '../contract.ts'
import { contentsWithoutSource } from '../copies/records/pull-source-store.ts'
import { shareCounts } from '../copies/views/share-count.ts'
import { judgeProviders } from '../datasets/choose-providers.ts'
import { isCurrent, switchSlot } from '../datasets/current-slot-store.ts'
import { type DataSet, findDataSet, hasDataSetAt, lockBucketOf } from '../datasets/data-set-store.ts'
import { requestEnd } from '../datasets/end-request-store.ts'
import type { StateSchedule } from '../states/copy-states.ts'
import { mustEnd } from '../states/follow-store.ts'
import type { States } from '../states/states.ts'
import { takesPieces } from '../states/tables/data-set-transitions-policy.ts'
import { type AskProviderDeps, askWritable, whoServes } from './ask-provider.ts'
import { contentsOf, countProgress, findEndBlock, hasNext, listSlots } from './slot-store.ts'
import { slotTasks } from './slot-tasks.ts'

interface SlotDeps extends AskProviderDeps {
  readonly schedule: Pick<StateSchedule, 'store' | 'pull' | 'end' | 'ensure'>
  readonly states: States
}

/** States of a data set that can be replaced: its creation is not open any more. */
const createdStates: ReadonlySet<DataSet['state']> = new Set(['ready', 'write_blocked', 'lost'])

export function createReplicaSlots(deps: SlotDeps): ReplicaSlots {
  const { clock, database, schedule, states } = deps

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

  const countMove = shareCounts(clock, (move: string) => {
    const [from = 0, to = 0] = move.split(' ').map(Number)
    return countProgress(database.read, { from, to, nowMs: clock.now() })
  })

  return {
    list: listSlots,
    contentsOf,
    endBlockedBy: findEndBlock,
    progress: ({ from, to }) => countMove(`${from} ${to}`),
    notWritable: (dataSetId, signal) => askWritable(deps, dataSetId, signal),
    served: (copies, signal) => whoServes(deps, copies, signal),
    async judge(read, dataSetId, available) {
      const dataSet = await findDataSet(read, dataSetId)
      return dataSet ? judgeProviders(read, available, dataSet) : []
    },

    ...slotTasks(deps),

    async planNext(tx, { from, provider }) {
      const source = await findDataSet(tx, from)
      const why = source ? await refusal(tx, source, provider) : 'not_current'
      if (!source || why) return { refusal: why ?? 'not_current' }
      const { address: providerAddress, payee, providerId, serviceUrl, pieceBytesMax } = provider
      const place = { bucketId: source.bucketId, slot: source.slot, clientDataSetId: newNonce() }
      return { id: await states.dataSets.plan(tx, { ...place, providerId, providerAddress, payee, serviceUrl, pieceBytesMax }) }
    },

    async switch(tx, { from, to }) {
      const target = await findDataSet(tx, to)
      if (from === to || !target || !(await lockBucketOf(tx, target.bucketId))) return false
      if (target.state !== 'ready' || (await mustEnd(tx, to)) || !(await switchSlot(tx, from, to))) return false
      // Its commit task ends what was not sent to it, and runs the store tasks of those contents.
      await states.dataSets.apply(tx, 'replaced', from, { message: `replaced by data set ${to}` })
      await states.dataSets.announce(tx, to)
      return true
    },

    async addCopies(tx, { dataSetId, contentIds }) {
      const dataSet = await findDataSet(tx, dataSetId)
      if (!dataSet || !takesPieces(dataSet.state) || !(await isCurrent(tx, dataSetId)) || (await mustEnd(tx, dataSetId))) return false
      await states.copies.planOn(tx, dataSetId, contentIds)
      await schedule.pull(tx, dataSetId)
      for (const contentId of await contentsWithoutSource(tx, dataSetId, contentIds)) await schedule.store(tx, contentId)
      return true
    },

    async requestEnd(tx, { dataSetId, cause }) {
      const dataSet = await findDataSet(tx, dataSetId)
      if (!dataSet) return false
      // A switch to it waits for this transaction, or this one for the switch.
      await lockBucketOf(tx, dataSet.bucketId)
      if (await isCurrent(tx, dataSetId)) return false
      await requestEnd(tx, { dataSetId, cause, nowMs: clock.now() })
      await schedule.end(tx, dataSetId)
      await states.dataSets.announce(tx, dataSetId)
      return true
    },
  }
}
