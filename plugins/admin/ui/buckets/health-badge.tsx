import { Badge } from '@svc/ui-kit'
import { describeReason, type HealthStatus, healthTones, healthWords } from './health-policy.ts'

interface Health {
  readonly status: HealthStatus
  readonly reason_codes: readonly string[]
  readonly stale: boolean
}

/** The health of storage in one word; the reasons are in its title. */
export const HealthBadge = ({ health }: { health: Health }) => (
  <Badge tone={healthTones[health.status]} title={health.reason_codes.map(describeReason).join('. ') || undefined}>
    {healthWords[health.status]}
    {health.stale ? ' (stale)' : ''}
  </Badge>
)
