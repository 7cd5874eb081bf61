/** The health of a data set, by our records and the last look at the chain. Pure. */
import type { DataSetFacts, DeniedReason } from '#plugins/replication'
import type { ReasonCode } from '../health/health-api.ts'
import type { Observation } from '../health/health-policy.ts'
import type { DataSetObservation } from './observation-store.ts'

type Verdict = readonly [status: 'degraded' | 'unavailable' | 'unknown', reason: ReasonCode]

const recorded: Readonly<Partial<Record<DataSetFacts['status'], Verdict>>> = {
  pending: ['unknown', 'local_status_not_ready'],
  creating: ['unknown', 'local_status_not_ready'],
  draining: ['degraded', 'local_status_not_ready'],
  failed: ['unavailable', 'local_status_not_ready'],
  unavailable: ['unavailable', 'local_status_not_ready'],
}

const chainStates: Readonly<Record<NonNullable<DataSetObservation['chainState']>, readonly Verdict[]>> = {
  live: [],
  terminated: [['degraded', 'chain_data_set_inactive']],
  ended: [['unavailable', 'chain_data_set_inactive']],
  deleted: [['unavailable', 'chain_data_set_inactive']],
  absent: [['unavailable', 'chain_data_set_missing']],
  unmanaged: [['unavailable', 'chain_data_set_unmanaged']],
}

const worstFirst = ['unavailable', 'unknown', 'degraded'] as const

const isRetiredAsPlanned = ({ status }: Pick<DataSetFacts, 'status'>, observation: DataSetObservation | undefined): boolean =>
  status === 'retired' && observation?.chainState !== 'live'

/** Only what was observed: other plugins add the state of the records themselves. */
export function judgeObservation(facts: DataSetFacts, observation: DataSetObservation | undefined): Observation {
  if (observation === undefined) return { status: 'unknown', reasonCodes: ['copy_observation_missing'], checkedAtMs: null }
  const verdicts = verdictsOf(facts, observation)
  return {
    status: worstFirst.find((status) => verdicts.some(([found]) => found === status)) ?? 'available',
    reasonCodes: [...new Set(verdicts.map(([, reason]) => reason))],
    lastError: observation.error ?? undefined,
    checkedAtMs: observation.checkedAtMs,
  }
}

/** Adds our records: a data set that is planned or ended as planned is not read on chain. */
export function judgeDataSet(facts: DataSetFacts, observation: DataSetObservation | undefined, roundAtMs: number | null): Observation {
  if (isRetiredAsPlanned(facts, observation)) return { status: 'available', reasonCodes: [], checkedAtMs: roundAtMs }
  const own = recorded[facts.status]
  if (facts.dataSetId === null && own) return { status: own[0], reasonCodes: [own[1]], checkedAtMs: roundAtMs }
  const observed = judgeObservation(facts, observation)
  if (own === undefined) return observed
  return {
    ...observed,
    status: worstFirst.find((status) => status === own[0] || status === observed.status) ?? 'degraded',
    reasonCodes: [own[1], ...observed.reasonCodes],
  }
}

function verdictsOf(facts: DataSetFacts, observation: DataSetObservation): readonly Verdict[] {
  const when = (holds: boolean, ...verdict: Verdict): readonly Verdict[] => (holds ? [verdict] : [])
  const { chainState } = observation
  return [
    ...when(observation.error !== null, 'unknown', 'chain_lookup_failed'),
    ...(chainState === null ? [] : chainStates[chainState]),
    ...when(facts.status === 'retired' && chainState === 'live', 'degraded', 'chain_data_set_unmanaged'),
    ...when(!observation.providerMatches, 'unavailable', 'provider_mismatch'),
    ...when(observation.metadataMatches === false, 'degraded', 'metadata_mismatch'),
    ...when(observation.isInDebt, 'degraded', 'data_set_in_debt'),
    ...when(observation.proving === 'overdue', 'degraded', 'proving_overdue'),
    ...when(!observation.piecesMatch, 'degraded', 'piece_count_mismatch'),
    ...when(facts.missingCopies > 0, 'degraded', 'copies_missing_at_provider'),
    ...when(facts.wrongCopies > 0, 'degraded', 'copies_with_wrong_bytes'),
    ...when(observation.isUnreachable, 'degraded', 'provider_http_unreachable'),
  ]
}

/** Why its copies must not count as durable. */
export function deniedBecause({ chainState, owedSince }: Pick<DataSetObservation, 'chainState' | 'owedSince'>): DeniedReason | null {
  if (chainState === 'absent' || chainState === 'deleted' || chainState === 'unmanaged') return 'not_on_chain'
  if (chainState === 'ended') return 'service_ended'
  return owedSince === null ? null : 'proving_missed'
}
