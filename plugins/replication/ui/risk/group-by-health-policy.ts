/** Data sets at risk, by their health. Pure. */
import { type HealthStatus, reasonsText } from '../health-policy.ts'
import type { AffectedVersion } from './risk-query-policy.ts'

interface HealthGroup {
  readonly status: HealthStatus
  readonly count: number
  /** Which they are, and why. */
  readonly names: string
}

const order: readonly HealthStatus[] = ['unavailable', 'degraded', 'unknown', 'available']

/** The worst first. */
export function groupByHealth(sets: AffectedVersion['risk_data_sets']): readonly HealthGroup[] {
  return order.flatMap((status) => {
    const found = sets.filter(({ storage_health }) => storage_health.status === status)
    const names = found.map(({ data_set_id, provider_id, storage_health: { reason_codes } }) => {
      const place = data_set_id === undefined ? 'a data set being created' : `data set ${data_set_id}`
      return `${place} of provider ${provider_id}: ${reasonsText(reason_codes)}`
    })
    return found.length === 0 ? [] : [{ status, count: found.length, names: names.join('; ') }]
  })
}
