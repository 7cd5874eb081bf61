import { Badge } from './badge.tsx'
import type { Tone } from './tone.ts'

/** Verdict of the Admin API on copies, data sets and buckets. */
export type HealthStatus = 'available' | 'degraded' | 'unavailable' | 'unknown'

interface Health {
  readonly status: HealthStatus
  readonly reason_codes: readonly string[]
  readonly stale: boolean
}

export const healthTones: Readonly<Record<HealthStatus, Tone>> = {
  available: 'success',
  degraded: 'warning',
  unavailable: 'danger',
  unknown: 'neutral',
}

export const healthWords: Readonly<Record<HealthStatus, string>> = {
  available: 'Available',
  degraded: 'Degraded',
  unavailable: 'Unavailable',
  unknown: 'Unknown',
}

const reasons: Readonly<Record<string, string>> = {
  registry_lookup_failed: 'the registry of providers could not be read',
  provider_inactive: 'registered as inactive',
  provider_missing_pdp: 'offers no storage with proofs',
  provider_not_approved: 'not approved by the storage service',
  provider_record_unusable: 'its registration cannot be used',
  provider_not_checked: 'not checked yet',
  provider_http_unreachable: 'it does not answer',
  provider_calls_unanswered: 'several calls in a row had no answer',
  provider_calls_failing: 'many of our recent calls failed',
  provider_missed_proofs: 'it missed proofs of our data sets',
  chain_lookup_failed: 'the chain could not be read',
  chain_data_set_missing: 'the chain does not have the data set',
  chain_data_set_inactive: 'its service ends or has ended',
  chain_data_set_unmanaged: 'the storage service does not manage it',
  local_status_not_ready: 'the data set is not ready',
  provider_mismatch: 'the chain names another provider',
  metadata_mismatch: 'the chain has other metadata',
  data_set_in_debt: 'its fees are not covered',
  proving_overdue: 'the proof is overdue',
  proving_missed: 'proving periods had no proof',
  piece_count_mismatch: 'the chain counts other pieces than our records',
  copies_missing_at_provider: 'the provider does not have some copies',
  copies_with_wrong_bytes: 'the provider sends other bytes',
  copy_observation_missing: 'copies not observed yet',
  copy_under_replicated: 'fewer copies than requested',
  copy_pending: 'a copy is not at its provider yet',
  copy_committing: 'a copy is being committed on chain',
  copy_failed: 'a copy failed',
  replication_disabled: 'the plugin replication is disabled',
}

/** Reason codes in words. A code without words is shown with spaces for underscores. */
export const healthReasons = (codes: readonly string[]): string =>
  codes.map((code) => reasons[code] ?? code.replaceAll('_', ' ')).join(', ')

/** The verdict in one word; the reasons are in its title. */
export const HealthBadge = ({ health: { status, reason_codes, stale } }: { health: Health }) => (
  <Badge tone={healthTones[status]} title={healthReasons(reason_codes) || undefined}>
    {healthWords[status]}
    {stale ? ' (out of date)' : ''}
  </Badge>
)
