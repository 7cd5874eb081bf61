/** Data sets at risk, by their health. Pure. */
import type { HealthStatus } from '@svc/ui-kit'
import type { AffectedVersion } from './risk-query-policy.ts'

type RiskDataSets = AffectedVersion['risk_data_sets']

interface HealthGroup {
  readonly status: HealthStatus
  readonly sets: RiskDataSets
}

const order: readonly HealthStatus[] = ['unavailable', 'degraded', 'unknown', 'available']

/** The worst first. */
export const groupByHealth = (all: RiskDataSets): readonly HealthGroup[] =>
  order
    .map((status) => ({ status, sets: all.filter(({ storage_health }) => storage_health.status === status) }))
    .filter(({ sets }) => sets.length > 0)
