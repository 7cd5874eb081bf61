import type { Answer } from '@svc/ui-kit'

/** `200+`: versions are counted up to a limit. */
export const describeAffected = (health: Answer<'GET /buckets'>[number]['storage_health']): string =>
  `${health.affected_versions_capped}${health.affected_versions_exceeds_cap ? '+' : ''}`
