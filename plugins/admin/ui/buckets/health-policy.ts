import type { Answer, Tone } from '@svc/ui-kit'

export type HealthStatus = Answer<'GET /buckets'>[number]['storage_health']['status']

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
  local_status_not_ready: 'A data set is not ready',
  copy_observation_missing: 'Its copies have not been observed yet',
}

/** A reason in words. Codes of plugins that this page does not know keep their own. */
export const describeReason = (code: string): string => reasons[code] ?? code.replaceAll('_', ' ')

/** `200+`: versions are counted up to a limit. */
export const describeAffected = (health: Answer<'GET /buckets'>[number]['storage_health']): string =>
  `${health.affected_versions_capped}${health.affected_versions_exceeds_cap ? '+' : ''}`
