import { formatTime } from '#kernel'
import type { HealthRow } from '../health/health-policy.ts'
import type { DataSetHealth } from './data-set-api.ts'
import type { ObservedFacts } from './data-set-observer.ts'
import { judgeDataSet } from './judge-data-set-policy.ts'
import type { CheckRound, DataSetObservation } from './observation-store.ts'

type Facts = DataSetHealth['facts']

export interface EpochClock {
  /** Time of an epoch, as far as the last round knows. */
  timeOf(epoch: number): string
}

/** Epochs have the same length on a live network; the epoch of the last round began about when it was read. */
export const epochClock = (round: CheckRound | undefined, epochMs: number): EpochClock | undefined =>
  round && { timeOf: (epoch) => formatTime(round.startedAtMs + (epoch - round.epoch) * epochMs) }

interface RowDeps {
  /** Name of the provider in the registry. */
  readonly name?: string | undefined
  readonly round: CheckRound | undefined
  readonly epochs: EpochClock | undefined
}

export function toRow({ facts, observation }: ObservedFacts, { round, epochs, name }: RowDeps): HealthRow<DataSetHealth> {
  return {
    observation: judgeDataSet(facts, observation, round?.finishedAtMs ?? null),
    show: (signal) => ({
      facts: describeFacts({ facts, observation }, epochs),
      signal,
      provider_identity: { registry_provider_id: facts.providerId, ...(name ? { name } : {}), service_url: facts.serviceUrl },
    }),
  }
}

function describeFacts({ facts, observation }: ObservedFacts, epochs: EpochClock | undefined): Facts {
  const { denied } = facts
  return {
    local_data_set_id: facts.id,
    bucket_id: facts.bucketId,
    bucket_name: facts.bucketName,
    copy_index: facts.copyIndex,
    generation: facts.generation,
    is_current: facts.isCurrent,
    provider_id: facts.providerId,
    ...(facts.dataSetId === null ? {} : { chain_data_set_id: facts.dataSetId }),
    ...(facts.clientDataSetId === null ? {} : { client_data_set_id: facts.clientDataSetId }),
    local_status: facts.status,
    recorded_piece_count: facts.committedCopies,
    standing: {
      state: denied === null ? 'kept' : 'denied',
      ...(denied === null ? {} : { reason: denied.reason, since: formatTime(denied.sinceMs) }),
      denied_copies: facts.missingCopies + facts.wrongCopies,
      confirmed_copies: facts.deniedCopies,
    },
    ...(facts.chosenReason === null ? {} : { chosen_because: { reason: facts.chosenReason, detail: facts.chosenDetail ?? '' } }),
    ...(observation?.chainState == null ? {} : describeChain(observation, observation.chainState)),
    ...(observation?.proving == null ? {} : { proving: describeProving(observation, observation.proving, epochs) }),
  }
}

const describeChain = (
  { endEpoch, isInDebt, pieceCount, hasPieces }: DataSetObservation,
  chain_state: NonNullable<Facts['chain_state']>,
): Partial<Facts> => ({
  chain_state,
  in_debt: isInDebt,
  has_active_pieces: hasPieces,
  ...(pieceCount === null ? {} : { active_piece_count: pieceCount }),
  ...(endEpoch === null ? {} : { end_epoch: String(endEpoch) }),
})

const describeProving = (
  { lastProven, nextDue, periodEpochs, missedPeriods, observedPeriods }: DataSetObservation,
  state: NonNullable<DataSetObservation['proving']>,
  epochs: EpochClock | undefined,
): NonNullable<Facts['proving']> => ({
  state,
  // Before the first proof the chain gives the epoch of the creation.
  ...(lastProven === null || state === 'not_started'
    ? {}
    : { last_proven_epoch: String(lastProven), ...timed('last_proven_at', lastProven, epochs) }),
  ...(nextDue === null ? {} : { next_due_epoch: String(nextDue), ...timed('next_due_at', nextDue, epochs) }),
  period_epochs: periodEpochs,
  missed_periods: missedPeriods,
  observed_periods: observedPeriods,
})

const timed = <K extends string>(name: K, epoch: number, epochs: EpochClock | undefined) =>
  (epochs ? { [name]: epochs.timeOf(epoch) } : {}) as Partial<Record<K, string>>
