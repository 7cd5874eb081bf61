import type { Answer } from '@svc/ui-kit'

/** `200+`: versions are counted up to a limit. */
export const describeAffected = (health: Answer<'GET /buckets'>[number]['storage_health']): string =>
  `${health.affected_versions_capped}${health.affected_versions_exceeds_cap ? '+' : ''}`

/** Hides health that was not observed. */
export const isObserved = ({
  status,
  reason_codes,
}: Pick<Answer<'GET /buckets'>[number]['storage_health'], 'status' | 'reason_codes'>): boolean =>
  status !== 'unknown' || reason_codes.some((code) => !unobserved.has(code))

const unobserved: ReadonlySet<string> = new Set(['copy_observation_missing', 'replication_disabled', 'local_status_not_ready'])
