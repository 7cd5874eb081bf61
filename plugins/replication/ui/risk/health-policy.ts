/** Buckets and data sets by the health of their storage. Pure. */
import type { Answer, HealthStatus } from '@svc/ui-kit'
import type { AffectedVersion } from './risk-query-policy.ts'

type Bucket = Answer<'GET /buckets'>[number]
type RiskDataSets = AffectedVersion['risk_data_sets']

const worstFirst: readonly HealthStatus[] = ['unavailable', 'degraded', 'unknown', 'available']

const rank = ({ storage_health }: Bucket) => worstFirst.indexOf(storage_health.status)

/** The worst first, then by name. */
export const byRisk = (buckets: readonly Bucket[]): readonly Bucket[] =>
  [...buckets].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))

/** The data sets of each health, the worst first. */
export const groupByHealth = (all: RiskDataSets): readonly { readonly status: HealthStatus; readonly sets: RiskDataSets }[] =>
  worstFirst
    .map((status) => ({ status, sets: all.filter(({ storage_health }) => storage_health.status === status) }))
    .filter(({ sets }) => sets.length > 0)
