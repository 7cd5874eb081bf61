import type { Clock, Database, Log } from '#kernel'
import type { DataSetObserver, Providers, WarmStorageReads } from '#plugins/providers'
import type { DataSetFinding, Standings } from '#plugins/replication'
import type { Chain, Signer } from '#plugins/wallet'
import { deniedBecause } from './judge-data-set-policy.ts'
import {
  type CheckRound,
  type DataSetObservation,
  forgetObservation,
  listObservations,
  recordLastRound,
  recordObservation,
  recordSilence,
} from './observation-store.ts'
import { type Look, observeGroup, type Subject, textOf } from './observe-group.ts'

export interface RoundDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly chain: Chain
  readonly reads: Pick<WarmStorageReads, 'observer'>
  readonly signer: Signer
  readonly standings: Standings
  readonly providers: Pick<Providers, 'inventory'>
  /** Groups that are read at the same time. */
  readonly concurrency: number
}

/** Six weeks, and at most so many periods of a data set, whatever the length of a period is. */
const historyMs = 42 * 24 * 3_600_000
const historyPeriodsMax = 1000

/** A look that begins to deny pieces is repeated before an end is followed: a node may lag for a moment. */
const closedRoundsMin = 2

/** Reads all data sets on chain at one confirmed epoch, records what it finds, and reports it to replication. Rejects while the chain is silent. */
export async function observeRound(deps: RoundDeps, signal: AbortSignal): Promise<CheckRound> {
  const { database, clock, chain, standings, concurrency } = deps
  const startedAtMs = clock.now()
  const { subjects, gone } = await listSubjects(deps)
  const observer = await openObserver(deps)
  const periodMs = Number(observer.periodEpochs) * chain.network.epochSeconds * 1000
  const keptPeriods = Math.max(1, Math.min(Math.ceil(historyMs / periodMs), historyPeriodsMax))
  const groups = groupsOf(subjects, observer.atOnceMax)
  const next = groups.values()
  const worker = async () => {
    for (const group of next) {
      signal.throwIfAborted()
      const looks = await observeGroup({ observer, nowMs: clock.now(), keptPeriods }, group)
      await database.write((tx) => recordLooks(tx, looks))
      await standings.reportDataSets(looks.flatMap(toFinding))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const round = endRound(observer, { startedAtMs, finishedAtMs: clock.now(), dataSets: subjects.length })
  await database.write(async (tx) => {
    for (const id of gone) await forgetObservation(tx, id)
    await recordLastRound(tx, round)
  })
  return round
}

async function openObserver({ database, clock, chain, reads, signer }: RoundDeps): Promise<DataSetObserver> {
  try {
    return await reads.observer(signer.address, await chain.finalEpoch())
  } catch (error) {
    await database.write((tx) => recordSilence(tx, { nowMs: clock.now(), error: textOf(error) }))
    throw error
  }
}

const endRound = ({ epoch, calls, requests }: DataSetObserver, round: Pick<CheckRound, 'startedAtMs' | 'finishedAtMs' | 'dataSets'>) => ({
  ...round,
  epoch: Number(epoch),
  chainCalls: calls,
  chainRequests: requests,
})

/** Data sets on chain; one that ended as planned is not read any more once the chain showed it. `gone`: rows of other data sets. */
async function listSubjects({ database, standings, providers }: RoundDeps) {
  const [facts, seen, moving, inventory] = await Promise.all([
    standings.listDataSets({}),
    listObservations(database.read),
    standings.movingPieces(),
    providers.inventory(),
  ])
  const silent = new Set(inventory.providers.flatMap(({ providerId, pingFailure }) => (pingFailure === null ? [] : [providerId])))
  const kept = new Set<number>()
  const subjects = facts.flatMap((one): readonly Subject[] => {
    const { id, dataSetId, clientDataSetId, providerId, status } = one
    if (dataSetId === null || clientDataSetId === null) return []
    const before = ofSame(seen.get(id), one)
    if (before !== undefined || seen.get(id) === undefined) kept.add(id)
    if (status === 'retired' && before !== undefined && before.error === null && before.chainState !== 'live') return []
    const own = { ...one, dataSetId, clientDataSetId }
    return [{ facts: own, before, movingPieces: moving.get(id) ?? 0, isUnreachable: silent.has(providerId) }]
  })
  return { subjects, gone: [...seen.keys()].filter((id) => !kept.has(id) && !subjects.some(({ facts }) => facts.id === id)) }
}

/** Local ids may be used again, and a reorganisation changes ids on chain. */
export const ofSame = (
  observation: DataSetObservation | undefined,
  { clientDataSetId, dataSetId }: { readonly clientDataSetId: string | null; readonly dataSetId: string | null },
): DataSetObservation | undefined =>
  observation?.clientId === clientDataSetId && observation.chainId === dataSetId ? observation : undefined

async function recordLooks(tx: Parameters<typeof recordObservation>[0], looks: readonly Look[]): Promise<void> {
  for (const { observation, subject, periods, keptFrom } of looks) {
    // The history of another data set with this local id is not its own.
    if (subject.before === undefined) await forgetObservation(tx, observation.dataSetId)
    await recordObservation(tx, observation, { periods, keptFrom })
  }
}

const toFinding = ({ isSeen, observation }: Look): readonly DataSetFinding[] =>
  isSeen
    ? [
        {
          dataSetId: observation.dataSetId,
          chainId: observation.chainId,
          reason: deniedBecause(observation),
          isClosed: observation.closedRounds >= closedRoundsMin,
        },
      ]
    : []

const groupsOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
