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
  local_status_not_ready: 'a data set is not ready',
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
