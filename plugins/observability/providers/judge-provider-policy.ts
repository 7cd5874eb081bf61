/** Health of a provider by its stored facts, its last ping and our own calls. */
import type { Inventory, ProviderScore, StoredProvider } from '#plugins/providers'
import { type HealthTime, isStale, type Observation } from '../health/health-policy.ts'
import type { MissedProofs } from '../health/missed-proofs.ts'

export interface ProviderFindings {
  readonly provider: StoredProvider
  readonly score: ProviderScore | undefined
  readonly missed: MissedProofs | undefined
  /** Calls to it are paused, because it did not answer several in a row. */
  readonly isUnresponsive: boolean
}

type RegistryRead = Pick<Inventory, 'readAtMs' | 'failedAtMs'>

/** The first reason with the worst status decides; all reasons of that status are shown. */
export function judgeProvider(findings: ProviderFindings, { readAtMs, failedAtMs }: RegistryRead, time: HealthTime): Observation {
  const { provider } = findings
  const barred = barredBy(provider)
  if (barred.length > 0)
    return { status: 'unavailable', reasonCodes: barred, lastError: provider.problem ?? undefined, checkedAtMs: readAtMs }
  const { pingedAtMs, pingMs, pingFailure } = provider
  if (pingedAtMs === null) return { status: 'unknown', reasonCodes: ['provider_not_checked'], checkedAtMs: null }
  if (pingMs === null) {
    const lastError = `the ping failed: ${pingFailure ?? 'no answer'}`
    return { status: 'unavailable', reasonCodes: ['provider_http_unreachable'], lastError, checkedAtMs: pingedAtMs }
  }
  // Approval and URL may have changed since.
  if (failedAtMs !== null && (readAtMs === null || isStale(readAtMs, time))) {
    const lastError = 'the registry of providers could not be read'
    return { status: 'unknown', reasonCodes: ['registry_lookup_failed'], lastError, checkedAtMs: pingedAtMs }
  }
  const degraded = degradedBy(findings)
  if (degraded.length === 0) return { status: 'available', reasonCodes: [], checkedAtMs: pingedAtMs }
  return { status: 'degraded', reasonCodes: degraded, lastError: describeFailure(findings), checkedAtMs: pingedAtMs }
}

function barredBy({ isActive, hasPdp, isApproved, problem }: StoredProvider): Observation['reasonCodes'] {
  const codes: Observation['reasonCodes'][number][] = []
  if (!isActive) codes.push('provider_inactive')
  if (hasPdp === false) codes.push('provider_missing_pdp')
  else if (problem !== null) codes.push('provider_record_unusable')
  if (!isApproved) codes.push('provider_not_approved')
  return codes
}

function degradedBy({ score, missed, isUnresponsive }: ProviderFindings): Observation['reasonCodes'] {
  const codes: Observation['reasonCodes'][number][] = []
  if (isUnresponsive) codes.push('provider_calls_unanswered')
  if (score?.isFailing) codes.push('provider_calls_failing')
  if (missed !== undefined && missed.unsettledDataSets > 0) codes.push('provider_missed_proofs')
  return codes
}

function describeFailure({ score, missed }: ProviderFindings): string | undefined {
  if (score?.lastFailure) return `the last failed call: ${score.lastFailure.call}, ${score.lastFailure.reason}`
  return missed === undefined ? undefined : `a proof was missed recently for ${missed.unsettledDataSets} of ${missed.dataSets} data sets`
}
