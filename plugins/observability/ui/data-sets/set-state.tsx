import { component$ } from '@builder.io/qwik'
import { Badge } from '@svc/ui-kit'
import { HealthState } from '../health/health-state.tsx'
import { type DataSet, hasEnded, localWords } from './describe-data-set.ts'

/** The health of a data set, or that it has ended: then it has none. */
export const SetState = component$<{ set: DataSet; withoutReasons?: boolean }>(({ set, withoutReasons }) => {
  const { facts, signal } = set
  if (hasEnded(set)) return <Badge tone="neutral">{localWords[facts.local_status]}</Badge>
  return <HealthState signal={withoutReasons ? { ...signal, reason_codes: [] } : signal} />
})
