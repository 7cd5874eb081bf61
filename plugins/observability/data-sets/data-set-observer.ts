import { defineService, singleFlight, within } from '#kernel'
import type { DataSetFacts } from '#plugins/replication'
import type { MissedProofs } from '../health/missed-proofs.ts'
import {
  type CheckRound,
  type DataSetObservation,
  daysOf,
  findLastRound,
  findObservations,
  listObservations,
  type ProvingDay,
  type ProvingPeriod,
  periodsOf,
} from './observation-store.ts'
import { observeRound, ofSame, type RoundDeps } from './observe-round.ts'
import { isMissRecent } from './proving-policy.ts'

/** The service stops to wait for a round after this; what was read by then is kept. */
const roundMs = 120_000

export interface ObservedFacts {
  readonly facts: DataSetFacts
  readonly observation: DataSetObservation | undefined
}

/** The data sets of all buckets, and what the chain said about them at the last look. */
export interface DataSetObservers {
  /** Reads the chain. Concurrent calls share one round. Rejects while the chain is silent; rows that were read are kept. */
  refresh(): Promise<CheckRound>
  lastRound(): Promise<CheckRound | undefined>
  list(filter: { readonly bucketId?: number; readonly providerId?: string }): Promise<readonly ObservedFacts[]>
  /** Last looks by local id. */
  find(ids: readonly number[]): Promise<ReadonlyMap<number, DataSetObservation>>
  /** Ended proving periods of a data set, newest first. */
  history(dataSetId: number): Promise<readonly ProvingPeriod[]>
  /** Counts them by days of so many epochs before an epoch. */
  historyByDay(dataSetId: number, days: { readonly epoch: number; readonly dayEpochs: number }): Promise<readonly ProvingDay[]>
  missedProofs(): Promise<ReadonlyMap<string, MissedProofs>>
}

/** `found`: undefined where replication is disabled. */
export const dataSetObservers = defineService<{ readonly found: DataSetObservers | undefined }>('observability.data-sets')

export function createDataSetObservers(deps: RoundDeps): DataSetObservers {
  const { database, standings } = deps
  async function list(filter: Parameters<DataSetObservers['list']>[0]): Promise<readonly ObservedFacts[]> {
    const [facts, seen] = await Promise.all([standings.listDataSets(filter), listObservations(database.read)])
    return facts.map((one) => ({ facts: one, observation: ofSame(seen.get(one.id), one) }))
  }
  return {
    refresh: singleFlight(async () => {
      const late = new AbortController()
      return within(roundMs, observeRound(deps, late.signal), () => {
        const error = Object.assign(new Error(`the data sets were not read within ${roundMs} ms`), { code: 'chain_unreachable' })
        late.abort(error)
        throw error
      })
    }),
    lastRound: () => findLastRound(database.read),
    list,
    find: (ids) => findObservations(database.read, ids),
    history: (dataSetId) => periodsOf(database.read, dataSetId),
    historyByDay: (dataSetId, days) => daysOf(database.read, { dataSetId, ...days }),
    async missedProofs() {
      const used = (await list({})).filter(({ facts }) => facts.status !== 'retired')
      const byProvider = Map.groupBy(used, ({ facts }) => facts.providerId)
      return new Map([...byProvider].map(([providerId, sets]) => [providerId, countMissed(sets)]))
    },
  }
}

function countMissed(sets: readonly ObservedFacts[]): MissedProofs {
  const live = sets.filter(({ observation }) => observation?.chainState === 'live')
  return {
    used: sets.length,
    dataSets: live.length,
    missedPeriods: live.reduce((sum, { observation }) => sum + (observation?.missedPeriods ?? 0), 0),
    unsettledDataSets: live.filter(({ observation }) => observation && isMissRecent(observation)).length,
  }
}
